#include "agent/api/stop_reason.h"

#include <algorithm>
#include <array>

namespace ralph::api {
namespace {

struct StopRow {
  StopReason reason;
  std::string_view word;
};

constexpr auto kStopReasons = std::to_array<StopRow>({
    {StopReason::none, ""},
    {StopReason::end_turn, "end_turn"},
    {StopReason::stop_sequence, "stop_sequence"},
    {StopReason::pause_turn, "pause_turn"},
    {StopReason::max_tokens, "max_tokens"},
    {StopReason::context_window_exceeded, "model_context_window_exceeded"},
    {StopReason::refusal, "refusal"},
    {StopReason::tool_use, "tool_use"},
});

}  // namespace

ReplyStop ReplyStop::parse(std::string_view word) {
  const auto* const row = std::ranges::find(kStopReasons, word, &StopRow::word);
  if (row != kStopReasons.end()) return ReplyStop(row->reason);
  ReplyStop stop(StopReason::other);
  stop.unknown_ = word;
  return stop;
}

std::string_view ReplyStop::word() const {
  const auto* const row = std::ranges::find(kStopReasons, reason_, &StopRow::reason);
  return row == kStopReasons.end() ? unknown_ : row->word;
}

}  // namespace ralph::api
