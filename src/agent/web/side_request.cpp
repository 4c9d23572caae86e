#include "agent/web/side_request.h"

#include <array>

#include <fmt/format.h>

#include "agent/session/json_text.h"

namespace ralph::web {
namespace {

/// Replies that broke off are paid for, too.
class PayingListener final : public api::Listener {
 public:
  explicit PayingListener(session::Ledger& ledger) : ledger_(ledger) {}
  void on_abandoned(const api::Reply& so_far, std::size_t) override {
    if (!so_far.id.empty()) ledger_.add(so_far.model, so_far.usage);
  }

 private:
  session::Ledger& ledger_;
};

}  // namespace

Result<api::Reply> ask(const SideModel& model, const SideRequest& asked,
                       const std::stop_token& stop) {
  const auto connection = model.connect();
  if (!connection->available()) return fail(Code::config, "there is no API key");
  const std::array messages{
      api::Message{.role = api::Role::user, .content = session::text_content(asked.prompt)}};
  api::Request request{.shape = model.choice.side_shape(asked.small),
                       .system = {asked.system},
                       .tools = asked.tools,
                       .messages = messages,
                       .user_id = {},
                       .cache_marks = false,
                       .is_last = true};
  PayingListener listener(model.ledger);
  auto answer = connection->ask(request, listener, stop);
  if (answer.failure) {
    return fail(Code::unavailable, fmt::format("the request to {} failed: {}", request.shape.model,
                                               answer.failure->message));
  }
  model.ledger.add(answer.reply.model, answer.reply.usage);
  return std::move(answer.reply);
}

std::string text_of(const api::Reply& reply) {
  std::string text;
  for (const auto& block : reply.content) {
    if (block.type == api::BlockType::text) text += block.text;
  }
  return text;
}

}  // namespace ralph::web
