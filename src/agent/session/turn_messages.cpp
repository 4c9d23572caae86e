#include "agent/session/turn_messages.h"

#include <utility>

#include <fmt/core.h>

#include "agent/session/json_text.h"
#include "core/base/id.h"

namespace ralph::session {

TurnMessages::TurnMessages(SessionState& state, const TurnStats& stats, const TurnHooks& hooks,
                           std::vector<UserMessage> messages)
    : state_(state), stats_(stats), hooks_(hooks), messages_(std::move(messages)) {}

void TurnMessages::begin() { report_started(messages_, answered_); }

void TurnMessages::report_started(std::span<const UserMessage> messages, MessageIds& ids) const {
  for (const auto& message : messages) {
    if (message.uuid.empty()) continue;
    ids.push_back(message.uuid);
    if (message.started) continue;
    state_.events.emit(MessageProgress{message.uuid, MessageState::started});
  }
}

TurnMessages::Outcome TurnMessages::fold_in(const std::stop_token& stop) {
  const auto messages = state_.links.inbox.take_pending();
  report_started(messages, folded_in_);
  return add(messages, stop);
}

/// A blocked message does not end a turn that has something else to answer.
TurnMessages::Outcome TurnMessages::add(std::span<const UserMessage> messages,
                                        const std::stop_token& stop) {
  bool any = stats_.requests > 0 || (!messages.empty() && messages.front().notification);
  std::string blocked;
  while (!messages.empty()) {
    const auto& message = messages.front();
    messages = messages.subspan(1);
    auto answer = hooks_.before_message(message, stop);
    if (answer.stop || answer.failed || (answer.blocked && stop.stop_requested())) {
      put_back(messages, stop);
      return Stopped{std::move(answer)};
    }
    if (answer.blocked) {
      blocked = report_blocked(message, answer);
      continue;
    }
    any = any || !message.notification;
    add_user_message(message);
    add_contexts(answer.contexts);
  }
  if (any || blocked.empty()) return Added{};
  return Blocked{std::move(blocked)};
}

/// An interrupt of a turn that has asked nothing yet is meant for all of its messages.
void TurnMessages::put_back(std::span<const UserMessage> messages, const std::stop_token& stop) {
  if (stop.stop_requested() && stats_.requests == 0) return;
  std::vector<UserMessage> waiting(messages.begin(), messages.end());
  for (auto& message : waiting) {
    message.started = true;
    std::erase(answered_, message.uuid);
    std::erase(folded_in_, message.uuid);
  }
  state_.links.inbox.put_back(waiting);
}

void TurnMessages::add_user_message(const UserMessage& message) {
  prompt_uuid_ = message.uuid.empty() ? make_uuid() : message.uuid;
  state_.conversation.add_user(message.content, prompt_uuid_,
                               message.notification ? "\"isMeta\":true" : "");
  if (message.notification) return;
  state_.preserved.add_prompt(message.content);
  if (!state_.config.replay_user_messages) return;
  UserExtras extras;
  extras.uuid = prompt_uuid_;
  extras.replay = true;
  state_.events.emit(
      UserInput{message.original.empty() ? message.content : message.original, extras});
}

/// Texts of hooks; only the model sees them.
void TurnMessages::add_contexts(const std::vector<std::string>& texts) {
  for (const auto& text : texts) {
    state_.conversation.add_user(text_content(text), make_uuid(), "\"isMeta\":true");
  }
}

/// Returns what the user reads.
std::string TurnMessages::report_blocked(const UserMessage& message,
                                         const hook::Answer& answer) const {
  const auto& given = message.original.empty() ? message.content : message.original;
  auto text = fmt::format("UserPromptSubmit operation blocked by hook:\n{}\n\nOriginal prompt: {}",
                          answer.reason, text_of_content(given));
  state_.events.emit(PromptBlocked{text, answer.reason});
  return text;
}

std::int64_t TurnMessages::tokens() const {
  std::int64_t tokens = 0;
  for (const auto& message : messages_) tokens += content_tokens(message.content);
  return tokens;
}

}  // namespace ralph::session
