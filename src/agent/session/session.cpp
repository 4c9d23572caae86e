#include "agent/session/session.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "agent/session/json_text.h"
#include "agent/session/turn.h"
#include "core/base/id.h"

namespace ralph::session {

Result<std::unique_ptr<Session>> Session::create(const SessionConfig& config,
                                                 const SessionLinks& links, SessionStart start) {
  if (start.session_id != links.identity.session_id()) {
    return fail(Code::usage, "the session's id is not the one its events have");
  }
  const bool child = !links.identity.parent_tool_use_id().empty();
  if (start.transcript && start.transcript->is_side_chain() != child) {
    return fail(Code::usage, "a session writes a side chain if, and only if, it has a parent");
  }
  return std::unique_ptr<Session>(new Session(config, links, std::move(start)));
}

Session::Session(const SessionConfig& config, const SessionLinks& links, SessionStart start)
    : state_{.config = config,
             .links = links,
             .events = SessionEvents(links.sink, links.identity),
             .conversation = Conversation(
                 std::move(start.messages),
                 {std::move(start.transcript), [this](const Error& error) { report_lost(error); }}),
             .context = Context(config.compaction, start.context_tokens),
             .preserved = std::move(start.preserved),
             .api_time = Millis{0},
             .tool_definitions = {}},
      introduced_(start.resumed && !state_.conversation.messages().empty()) {}

/// The introduction comes once, before the first message: the prompt cache and resumed sessions depend on it.
void Session::introduce() {
  if (!std::exchange(introduced_, true)) {
    state_.conversation.transcript().add_system_prompt(state_.config.system);
    state_.conversation.introduce(state_.config.introduction());
  }
  for (const auto& text : std::exchange(contexts_, {})) {
    state_.conversation.add_user(text_content(text), make_uuid(), "\"isMeta\":true");
  }
}

hook::Answer Session::start(StartSource source, const std::stop_token& stop) {
  auto answer = session_started(state_, source, stop);
  std::ranges::move(std::exchange(answer.contexts, {}), std::back_inserter(contexts_));
  return answer;
}

void Session::end(EndReason reason, const std::stop_token& stop) {
  session_ended(state_, reason, stop);
}

std::optional<TurnReport> Session::answer(std::vector<UserMessage> messages,
                                          const std::stop_token& stop) {
  introduce();
  Turn turn(state_, std::move(messages));
  auto result = turn.run(stop);
  if (!result) return std::nullopt;
  return TurnReport{*std::move(result), turn.messages().answered(), turn.messages().folded_in()};
}

std::optional<TurnReport> Session::compact(UserMessage message, const std::string& instructions,
                                           const std::stop_token& stop) {
  introduce();
  Turn turn(state_, {std::move(message)});
  auto result = turn.run_compact(instructions, stop);
  if (!result) return std::nullopt;
  return TurnReport{*std::move(result), turn.messages().answered(), turn.messages().folded_in()};
}

void Session::set_system_prompt(std::vector<std::string> texts) {
  state_.config.system = std::move(texts);
}

void Session::set_structured_output(const StructuredOutput* structured) {
  state_.config.structured = structured;
  state_.tool_definitions.clear();
}

void Session::set_title(std::string_view title) {
  state_.events.emit(TitleChanged{title});
  record_title(title);
}

void Session::record_title(std::string_view title) {
  state_.conversation.transcript().add_title(title);
}

void Session::record_totals() {
  state_.conversation.transcript().add_totals(state_.links.ledger.totals());
}

void Session::report_lost(const Error& error) {
  state_.config.warn("ralph: the session file is incomplete: " + describe(error));
  state_.events.emit(TranscriptLost{error.message});
}

}  // namespace ralph::session
