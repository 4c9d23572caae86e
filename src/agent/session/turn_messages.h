#pragma once
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "agent/session/session_state.h"
#include "agent/session/turn_hooks.h"
#include "agent/session/turn_stats.h"

namespace ralph::session {

/// The messages of the user that a turn answers: adds them to the conversation, unless a hook prevents it, and knows their
/// uuids.
class TurnMessages {
 public:
  TurnMessages(SessionState& state, const TurnStats& stats, const TurnHooks& hooks,
               std::vector<UserMessage> messages);

  /// Reports that the messages are being answered.
  void begin();

  struct Added {};
  struct Blocked {
    std::string text;  // for the user
  };
  struct Stopped {
    hook::Answer answer;
  };
  /// Blocked: hooks blocked all messages. Stopped: a hook failed or wants the turn to end, or the turn was interrupted while
  /// a hook ran; messages behind that one wait for the next turn.
  using Outcome = std::variant<Added, Blocked, Stopped>;
  /// The messages that started the turn.
  Outcome add(const std::stop_token& stop) { return add(messages_, stop); }
  /// Messages that arrived while the tools ran are sent with the results.
  Outcome fold_in(const std::stop_token& stop);

  /// Of the messages that started the turn, in tokens.
  std::int64_t tokens() const;
  /// The turn was started by the end of a background task, not by the user.
  bool of_task() const { return !messages_.empty() && messages_.front().notification; }
  /// The uuids of the messages that started the turn, and of those that were folded in.
  const MessageIds& answered() const { return answered_; }
  const MessageIds& folded_in() const { return folded_in_; }
  /// Of the last message that was added.
  const std::string& prompt_uuid() const { return prompt_uuid_; }

 private:
  void report_started(std::span<const UserMessage> messages, MessageIds& ids) const;
  Outcome add(std::span<const UserMessage> messages, const std::stop_token& stop);
  void put_back(std::span<const UserMessage> messages, const std::stop_token& stop);
  void add_user_message(const UserMessage& message);
  void add_contexts(const std::vector<std::string>& texts);
  std::string report_blocked(const UserMessage& message, const hook::Answer& answer) const;

  SessionState& state_;
  const TurnStats& stats_;
  const TurnHooks& hooks_;
  std::vector<UserMessage> messages_;
  MessageIds answered_, folded_in_;
  std::string prompt_uuid_;
};

}  // namespace ralph::session
