#include "agent/session/turn_result.h"

#include <array>

namespace ralph::session {
namespace {

constexpr std::array<std::string_view, 5> kSubtypes{
    "success", "error_max_turns", "error_max_budget_usd", "error_max_structured_output_retries",
    "error_during_execution"};

constexpr std::array<std::string_view, 13> kTerminalReasons{
    "",
    "completed",
    "api_error",
    "prompt_too_long",
    "image_error",
    "budget_exhausted",
    "max_turns",
    "structured_output_retry_exhausted",
    "aborted_streaming",
    "aborted_tools",
    "rapid_refill_breaker",
    "blocking_limit",
    "loop_guard",
};

}  // namespace

std::string_view to_string(ResultSubtype subtype) {
  return kSubtypes.at(static_cast<std::size_t>(subtype));
}

std::string_view to_string(TerminalReason reason) {
  return kTerminalReasons.at(static_cast<std::size_t>(reason));
}

}  // namespace ralph::session
