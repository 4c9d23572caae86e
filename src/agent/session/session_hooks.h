#pragma once
#include <stop_token>
#include <string_view>

#include "agent/hook/hooks.h"
#include "agent/session/session_state.h"

namespace ralph::session {

/// Runs the hooks for a conversation that starts: "startup", "resume", "clear" or "compact".
hook::Answer session_started(const SessionState& state, std::string_view source,
                             const std::stop_token& stop);
void session_ended(const SessionState& state, std::string_view reason, const std::stop_token& stop);
/// Before the conversation is replaced by a summary; the hooks can prevent it.
hook::Answer before_compaction(const SessionState& state, CompactTrigger trigger,
                               std::string_view instructions, const std::stop_token& stop);

}  // namespace ralph::session
