#pragma once
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/session/loop_guard.h"
#include "agent/session/session_state.h"
#include "agent/session/turn_stats.h"

namespace ralph::session {

/// Runs the tool calls of a turn's replies and records the results.
class ToolRound {
 public:
  ToolRound(SessionState& state, TurnStats& stats)
      : state_(state), stats_(stats), guard_(state.config.limits.loop_guard) {}

  /// All calls of one reply.
  void run(const api::Reply& reply, const std::stop_token& stop);

  /// The input of the StructuredOutput tool, JSON; nullopt: not called yet.
  const std::optional<std::string>& structured() const { return structured_; }
  int structured_failures() const { return structured_failures_; }
  LoopGuard& guard() { return guard_; }
  /// The user denied a call and wants the turn to end.
  bool interrupted() const { return interrupted_; }
  /// A hook wants the turn to end; why.
  const std::optional<std::string>& stopped_by_hook() const { return stopped_by_hook_; }

 private:
  /// A text that a tool adds; sent after the results of all calls.
  struct FollowUp {
    std::string content;  // JSON
    std::string uuid;
  };
  ToolCallResult check_structured(const api::Block& call);
  CallRoom room() const;
  ToolCallResult ended_early(ToolCallResult result);
  void deny(const api::Block& call);
  void report(ToolCallResult result);
  void report_task(const ToolCallResult& result);
  void report_follow_up(std::string_view text);
  void add_context(std::string_view text);
  void append_follow_ups();

  SessionState& state_;
  TurnStats& stats_;
  LoopGuard guard_;
  std::optional<std::string> structured_;
  int structured_failures_ = 0;
  std::vector<FollowUp> follow_ups_;
  bool interrupted_ = false;
  std::optional<std::string> stopped_by_hook_;
};

}  // namespace ralph::session
