#include "agent/session/event.h"

#include <array>

namespace ralph::session {
namespace {

constexpr std::array<std::string_view, 3> kMessageStates{"queued", "started", "completed"};
constexpr std::array<std::string_view, 2> kTriggers{"auto", "manual"};
constexpr std::array<std::string_view, 6> kCompactFailures{
    "cancelled", "thrashing", "disabled", "request_failed", "no_summary", "still_too_long"};

}  // namespace

std::string_view to_string(MessageState state) {
  return kMessageStates.at(static_cast<std::size_t>(state));
}

std::string_view to_string(CompactTrigger trigger) {
  return kTriggers.at(static_cast<std::size_t>(trigger));
}

std::string_view to_string(CompactFailure failure) {
  return kCompactFailures.at(static_cast<std::size_t>(failure));
}

}  // namespace ralph::session
