#include "agent/session/turn_result.h"

#include "core/base/words.h"

namespace ralph::session {
namespace {

constexpr Words<ResultSubtype, 5> kSubtypes{{"success", "error_max_turns", "error_max_budget_usd",
                                             "error_max_structured_output_retries",
                                             "error_during_execution"}};

constexpr Words<TerminalReason, 14> kTerminalReasons{{
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
    "rapid_refill_breaker",  // context_thrashing
    "blocking_limit",        // compaction_disabled
    "loop_guard",
    "hook_stopped",
}};

constexpr Words<ApiErrorCode, 5> kApiErrorCodes{
    {"", "connection_failed", "media_removed", "max_output_tokens", "autocompact_thrashing"}};

}  // namespace

std::string_view to_string(ResultSubtype subtype) { return kSubtypes.of(subtype); }
std::string_view to_string(TerminalReason reason) { return kTerminalReasons.of(reason); }
std::string_view to_string(ApiErrorCode code) { return kApiErrorCodes.of(code); }

}  // namespace ralph::session
