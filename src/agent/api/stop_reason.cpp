#include "agent/api/stop_reason.h"

#include <algorithm>
#include <array>

namespace ralph::api {
namespace {

struct StopRow {
  StopReason reason;
  std::string_view text;
};

constexpr auto kStopReasons = std::to_array<StopRow>({
    {StopReason::end_turn, "end_turn"},
    {StopReason::stop_sequence, "stop_sequence"},
    {StopReason::pause_turn, "pause_turn"},
    {StopReason::max_tokens, "max_tokens"},
    {StopReason::context_window_exceeded, "model_context_window_exceeded"},
    {StopReason::refusal, "refusal"},
    {StopReason::tool_use, "tool_use"},
    {StopReason::other, ""},
});

}  // namespace

StopReason stop_reason_of(std::string_view text) {
  const auto* row = std::ranges::find(kStopReasons, text, &StopRow::text);
  return row == kStopReasons.end() ? StopReason::other : row->reason;
}

std::string_view to_string(StopReason reason) {
  return std::ranges::find(kStopReasons, reason, &StopRow::reason)->text;
}

}  // namespace ralph::api
