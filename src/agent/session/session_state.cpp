#include "agent/session/session_state.h"

#include <fmt/core.h>

#include "agent/session/failure_text.h"
#include "core/base/id.h"
#include "core/json/writer.h"

namespace ralph::session {

bool SessionState::over_budget() const {
  const auto budget = config.limits.max_budget_usd;
  return budget && links.ledger.cost_usd() >= *budget;
}

std::int64_t SessionState::window() const {
  return model::Table::builtin().context_window(links.choice.id());
}

std::int64_t SessionState::tokens() const { return context.tokens() + conversation.added_tokens(); }

void SessionState::refresh_tools(const std::stop_token& stop) {
  if (!links.tools.update(stop) && !tool_definitions.empty()) return;
  auto all = links.tools.definitions();
  if (config.structured != nullptr) {
    all += (all.empty() ? "" : ",") + config.structured->definition();
  }
  tool_definitions = all.empty() ? "" : "[" + all + "]";
}

api::Request SessionState::new_request() const {
  api::Request request;
  request.shape = links.choice.shape();
  request.system = config.system;
  request.tools = tool_definitions;
  json::ObjectWriter(request.user_id).text("session_id", links.identity.session_id()).close();
  return request;
}

void SessionState::charge(const api::Reply& reply) {
  links.ledger.add(reply.model.empty() ? links.choice.id() : reply.model, reply.usage);
}

void SessionState::announce(const MessageIds& answers) {
  config.init.model = links.choice.id();
  if (config.permission_mode) config.init.permission_mode = config.permission_mode();
  config.init.tools = links.tools.names();
  config.init.servers = links.tools.servers();
  if (config.structured != nullptr) config.init.tools.emplace_back(StructuredOutput::kName);
  events.emit(TurnStarted{config.init, answers});
}

bool SessionState::fall_back(const api::Failure& failure) {
  const auto from = links.choice.id();
  const auto to = api::is_overloaded(failure) ? links.choice.fall_back() : std::nullopt;
  if (!to) return false;
  events.emit(
      ModelChanged{from, *to, fmt::format("{} is overloaded; continuing with {}", from, *to)});
  conversation.drop_thinking();
  return true;
}

bool SessionState::remove_refused_media(const api::Failure& failure, Removal removal) {
  const auto& refusal = failure.rejection.media;
  if (!refusal) return false;
  const auto removed = conversation.remove_refused(*refusal, removal);
  if (removed == api::MediaKind::any) return false;
  auto facts = media_removed(*refusal, removed);
  facts.uuid = make_uuid();
  conversation.transcript().add_error(facts);
  events.emit(ErrorReply{facts});
  return true;
}

}  // namespace ralph::session
