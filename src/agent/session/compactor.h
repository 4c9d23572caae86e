#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "agent/session/session_state.h"
#include "agent/session/turn_stats.h"

namespace ralph::session {

/// Why there is no room for another request.
struct CompactTrouble {
  CompactFailure failure = CompactFailure::request_failed;
  std::string text = {};  // for the user, with what to do
  TerminalReason terminal_reason = TerminalReason::prompt_too_long;
  ApiErrorCode api_error = ApiErrorCode::none;
};

/// Replaces the conversation by the model's summary of it when the context window fills.
class Compactor {
 public:
  Compactor(SessionState& state, TurnStats& stats) : state_(state), stats_(stats) {}

  using Trouble = std::optional<CompactTrouble>;  // nullopt: there is room
  /// Before a request; `for_more`: tokens that are about to be added.
  Trouble make_room(std::int64_t for_more, const std::stop_token& stop);
  /// After the API rejected the conversation as too long.
  Trouble make_room_after_refusal(const std::stop_token& stop);
  /// Asks for the summary; the conversation stays.
  Trouble summarize(std::string_view instructions, std::string& summary,
                    const std::stop_token& stop);
  void replace_conversation(CompactTrigger trigger, std::string_view summary, SteadyTime began,
                            const std::stop_token& stop);

 private:
  struct Order {
    CompactTrigger trigger = CompactTrigger::automatic;
    std::string_view instructions = {};  // the user's
    bool refused = false;                // the API rejected the conversation as too long
  };
  Trouble compact(const Order& order, const std::stop_token& stop);
  Trouble ask_hooks(const Order& order, std::string& instructions, const std::stop_token& stop);
  Trouble request_summary(const Order& order, std::string& summary, const std::stop_token& stop);
  Trouble ask_for_summary(const Order& order, std::string& summary, const std::stop_token& stop);
  bool recover(const api::Failure& failure, const Order& order, ShrinkingHistory& history);
  CompactTrouble trouble_of(const api::Failure& failure) const;
  std::size_t room_for_summary() const;
  bool too_full(std::int64_t tokens) const;

  SessionState& state_;
  TurnStats& stats_;
};

}  // namespace ralph::session
