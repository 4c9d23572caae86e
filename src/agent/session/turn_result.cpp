#include "agent/session/turn_result.h"

#include <algorithm>
#include <array>

namespace ralph::session {
namespace {

struct SubtypeRow {
  ResultSubtype subtype;
  std::string_view text;
};
constexpr auto kSubtypes = std::to_array<SubtypeRow>({
    {ResultSubtype::success, "success"},
    {ResultSubtype::max_turns, "error_max_turns"},
    {ResultSubtype::max_budget, "error_max_budget_usd"},
    {ResultSubtype::max_structured_retries, "error_max_structured_output_retries"},
    {ResultSubtype::execution, "error_during_execution"},
});

struct ReasonRow {
  TerminalReason reason;
  std::string_view text;
};
constexpr auto kTerminalReasons = std::to_array<ReasonRow>({
    {TerminalReason::none, ""},
    {TerminalReason::completed, "completed"},
    {TerminalReason::api_error, "api_error"},
    {TerminalReason::prompt_too_long, "prompt_too_long"},
    {TerminalReason::image_error, "image_error"},
    {TerminalReason::budget_exhausted, "budget_exhausted"},
    {TerminalReason::max_turns, "max_turns"},
    {TerminalReason::structured_output_retries, "structured_output_retry_exhausted"},
    {TerminalReason::aborted_streaming, "aborted_streaming"},
    {TerminalReason::aborted_tools, "aborted_tools"},
    {TerminalReason::context_thrashing, "rapid_refill_breaker"},
    {TerminalReason::compaction_disabled, "blocking_limit"},
    {TerminalReason::loop_guard, "loop_guard"},
});

struct CodeRow {
  ApiErrorCode code;
  std::string_view text;
};
constexpr auto kApiErrorCodes = std::to_array<CodeRow>({
    {ApiErrorCode::none, ""},
    {ApiErrorCode::connection_failed, "connection_failed"},
    {ApiErrorCode::media_removed, "media_removed"},
    {ApiErrorCode::max_output_tokens, "max_output_tokens"},
    {ApiErrorCode::context_thrashing, "autocompact_thrashing"},
});

}  // namespace

std::string_view to_string(ResultSubtype subtype) {
  return std::ranges::find(kSubtypes, subtype, &SubtypeRow::subtype)->text;
}

std::string_view to_string(TerminalReason reason) {
  return std::ranges::find(kTerminalReasons, reason, &ReasonRow::reason)->text;
}

std::string_view to_string(ApiErrorCode code) {
  return std::ranges::find(kApiErrorCodes, code, &CodeRow::code)->text;
}

}  // namespace ralph::session
