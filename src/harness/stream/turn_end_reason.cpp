#include <algorithm>
#include <array>

#include "harness/stream/event.h"

namespace ralph::stream {
namespace {

struct TurnEndRow {
  std::string_view word;
  TurnEndReason reason;
};
/// The words of all agents that have a dialect.
constexpr std::array kTurnEnds = std::to_array<TurnEndRow>({
    {"max_turns", TurnEndReason::max_turns},
    {"error_max_turns", TurnEndReason::max_turns},
    {"budget_exhausted", TurnEndReason::cost_limit},
    {"error_max_budget_usd", TurnEndReason::cost_limit},
    {"structured_output_retry_exhausted", TurnEndReason::invalid_output},
    {"error_max_structured_output_retries", TurnEndReason::invalid_output},
    {"prompt_too_long", TurnEndReason::context_full},
    {"blocking_limit", TurnEndReason::context_full},
});

}  // namespace

TurnEndReason turn_end_reason(std::string_view word) {
  const auto row = std::ranges::find(kTurnEnds, word, &TurnEndRow::word);
  return row == kTurnEnds.end() ? TurnEndReason::other : row->reason;
}

}  // namespace ralph::stream
