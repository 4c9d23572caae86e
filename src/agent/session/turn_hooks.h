#pragma once
#include <stop_token>
#include <string_view>

#include "agent/hook/hooks.h"
#include "agent/session/session_state.h"

namespace ralph::session {

/// The hooks of a turn itself: for its messages and before its end.
class TurnHooks {
 public:
  explicit TurnHooks(const SessionState& state) : state_(state) {}

  /// Before a message of the user is added. A subagent's prompt is not the user's.
  hook::Answer before_message(const UserMessage& message, const std::stop_token& stop) const;
  /// Before the turn ends with this text. An answer that blocks makes the model continue.
  hook::Answer before_end(std::string_view text, const std::stop_token& stop);

 private:
  const SessionState& state_;
  bool continued_ = false;  // a hook has already made the model continue
};

}  // namespace ralph::session
