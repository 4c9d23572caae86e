#include "agent/session/event.h"

#include <algorithm>
#include <array>

namespace ralph::session {
namespace {

struct StateRow {
  MessageState state;
  std::string_view text;
};
constexpr auto kMessageStates = std::to_array<StateRow>({
    {MessageState::queued, "queued"},
    {MessageState::started, "started"},
    {MessageState::completed, "completed"},
});

struct TriggerRow {
  CompactTrigger trigger;
  std::string_view text;
};
constexpr auto kTriggers = std::to_array<TriggerRow>({
    {CompactTrigger::automatic, "auto"},
    {CompactTrigger::manual, "manual"},
});

struct CompactFailureRow {
  CompactFailure failure;
  std::string_view text;
};
constexpr auto kCompactFailures = std::to_array<CompactFailureRow>({
    {CompactFailure::cancelled, "cancelled"},
    {CompactFailure::thrashing, "thrashing"},
    {CompactFailure::disabled, "disabled"},
    {CompactFailure::request_failed, "request_failed"},
    {CompactFailure::no_summary, "no_summary"},
    {CompactFailure::still_too_long, "still_too_long"},
});

}  // namespace

std::string_view to_string(MessageState state) {
  return std::ranges::find(kMessageStates, state, &StateRow::state)->text;
}

std::string_view to_string(CompactTrigger trigger) {
  return std::ranges::find(kTriggers, trigger, &TriggerRow::trigger)->text;
}

std::string_view to_string(CompactFailure failure) {
  return std::ranges::find(kCompactFailures, failure, &CompactFailureRow::failure)->text;
}

}  // namespace ralph::session
