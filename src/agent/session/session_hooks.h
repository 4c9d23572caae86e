#pragma once
#include <stop_token>
#include <string_view>

#include "agent/hook/hooks.h"
#include "agent/session/session_state.h"

namespace ralph::session {

/// Why a conversation starts, and ends. Hooks get them as words.
enum class StartSource { startup, resume, clear, compact };
enum class EndReason { clear, other };

/// Runs the hooks for a conversation that starts.
hook::Answer session_started(const SessionState& state, StartSource source,
                             const std::stop_token& stop);
void session_ended(const SessionState& state, EndReason reason, const std::stop_token& stop);
/// Before the conversation is replaced by a summary; the hooks can prevent it.
hook::Answer before_compaction(const SessionState& state, CompactTrigger trigger,
                               std::string_view instructions, const std::stop_token& stop);

}  // namespace ralph::session
