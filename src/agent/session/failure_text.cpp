#include "agent/session/failure_text.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/base/mask.h"
#include "core/base/safe_text.h"
#include "core/base/time.h"

namespace ralph::session {
namespace {

using api::ErrorName;
using api::FailureKind;

std::string rejected(const api::Failure& failure, std::string_view model, bool with_token) {
  const auto text = fmt::format("API Error: {} {}", failure.status, failure.message);
  switch (failure.status) {
    case 401:
      return with_token ? "Failed to authenticate. " + text
                        : "Invalid API key · Fix external API key";
    case 403: return "Failed to authenticate. " + text;
    case 404:
      return fmt::format(
          "The model {} does not exist at this endpoint, or you have no access to it: {}. "
          "Choose another with --model.",
          model, failure.message);
    case 429: return fmt::format("API Error: Request rejected (429) · {}", failure.message);
    case 529:
      return "API Error: Repeated 529 Overloaded errors. The API is at capacity; try again in a "
             "moment.";
    default: break;
  }
  if (failure.rejection.credit) return "Credit balance is too low";
  return text;
}

std::string text_for(const api::Failure& failure, std::string_view model, bool with_token) {
  if (const auto& size = failure.rejection.prompt_too_long) {
    return fmt::format("Prompt is too long · the request has {} tokens, the model takes {}",
                       size->tokens, size->limit);
  }
  if (failure.kind == FailureKind::status) return rejected(failure, model, with_token);
  if (failure.hint.empty()) return "API Error: " + failure.message;
  return fmt::format("API Error: {} ({})", failure.message, failure.hint);
}

/// An endpoint's message without keys and control characters.
std::string presentable(std::string_view text) { return safe_text(Masker().mask(text)); }

/// Claude Code names the final failure differently from a retried one.
ErrorName final_name(const api::Failure& failure) {
  if (failure.kind == FailureKind::setup) return ErrorName::invalid_request;
  if (failure.kind != FailureKind::status && failure.kind != FailureKind::error_event) {
    return ErrorName::server_error;
  }
  const auto name = api::error_name(failure);
  return name == ErrorName::overloaded ? ErrorName::server_error : name;
}

bool has_no_connection(const api::Failure& failure) {
  return failure.kind == FailureKind::connection || failure.kind == FailureKind::timed_out ||
         failure.kind == FailureKind::cut;
}

}  // namespace

FailureReport failure_report(const api::Failure& failure, std::string_view model, bool with_token) {
  FailureReport report;
  report.facts.text = presentable(text_for(failure, model, with_token));
  report.facts.error = final_name(failure);
  report.facts.request_id = failure.request_id;
  if (failure.status != 0) report.facts.status = failure.status;
  report.facts.type = failure.type;
  constexpr Millis kFarAway = std::chrono::days(3650);
  if (failure.status == 429 && failure.retry_after && *failure.retry_after < kFarAway) {
    const auto reset = std::chrono::ceil<std::chrono::seconds>(now_utc() + *failure.retry_after);
    report.facts.resets_at = reset.time_since_epoch().count();
  }
  if (has_no_connection(failure)) report.facts.api_error = ApiErrorCode::connection_failed;
  if (failure.status == 413 || failure.rejection.media)
    report.terminal_reason = TerminalReason::image_error;
  if (failure.rejection.prompt_too_long) report.terminal_reason = TerminalReason::prompt_too_long;
  return report;
}

ApiErrorFacts media_removed(const api::MediaRefusal& refusal, api::MediaKind removed) {
  const bool document = removed == api::MediaKind::document;
  ApiErrorFacts facts;
  facts.text = presentable(
      fmt::format("API Error: the API rejected {} of the conversation ({}). It was removed; the "
                  "model is asked again.",
                  document ? "a document" : "an image", refusal.reason));
  facts.error = ErrorName::invalid_request;
  facts.stop_reason = api::StopReason::tool_use;
  facts.api_error = ApiErrorCode::media_removed;
  facts.params = refusal.kind == api::MediaKind::any
                     ? R"({"media_reason":"media_budget"})"
                     : fmt::format(R"({{"media":"{}","media_reason":"unprocessable"}})",
                                   document ? "document" : "image");
  return facts;
}

FailureReport not_logged_in() {
  FailureReport report;
  report.facts.text = "Not logged in · Set ANTHROPIC_API_KEY or run: ralph auth login";
  report.facts.error = ErrorName::authentication_failed;
  return report;
}

FailureReport broken_again(const api::Reply& reply, bool with_token) {
  api::Failure failure;
  failure.kind = FailureKind::cut;
  failure.message = "the response broke off repeatedly";
  failure.request_id = reply.request_id;
  return failure_report(failure, reply.model, with_token);
}

FailureReport too_long_again(std::int64_t max_tokens) {
  FailureReport report;
  report.facts.text = fmt::format(
      "API Error: the response exceeded {} output tokens repeatedly. "
      "CLAUDE_CODE_MAX_OUTPUT_TOKENS sets the limit.",
      max_tokens);
  report.facts.error = ErrorName::max_output_tokens;
  report.facts.api_error = ApiErrorCode::max_output_tokens;
  report.facts.params = R"({"cut":"output_limit"})";
  return report;
}

FailureReport refused_again(const api::Reply& reply, std::string_view model) {
  FailureReport report;
  report.facts.text = fmt::format(
      "API Error: {}'s safety checks rejected the request. Rephrase it in a new session, or "
      "choose another model. Request ID: {}",
      model, reply.request_id);
  report.facts.error = ErrorName::invalid_request;
  report.facts.stop_reason = api::StopReason::refusal;
  report.facts.request_id = reply.request_id;
  report.facts.refused_message_id = reply.id;
  return report;
}

FailureReport stopped_by_loop_guard(std::int64_t times, std::string_view repeated) {
  FailureReport report;
  report.facts.text = fmt::format(
      "Loop guard: the model made the same calls {} times in a row, with the same result: {}. The "
      "turn was stopped. Make the task clearer or remove the obstacle; --loop-guard N sets the "
      "limit, 0 disables it.",
      times, repeated);
  report.facts.error = ErrorName::loop_guard;
  report.terminal_reason = TerminalReason::loop_guard;
  return report;
}

FailureReport failed_hook(std::string_view why) {
  FailureReport report;
  report.facts.text = why;
  report.facts.error = ErrorName::invalid_request;
  report.terminal_reason = TerminalReason::hook_stopped;
  return report;
}

std::string text_output(const TurnResult& result, const settings::Options& options) {
  switch (result.subtype) {
    case ResultSubtype::success: return result.text;
    case ResultSubtype::max_turns:
      return fmt::format("Error: Reached max turns ({})", options.max_turns.value_or(0));
    case ResultSubtype::max_budget:
      return fmt::format("Error: Exceeded USD budget ({})", options.max_budget_usd.value_or(0));
    case ResultSubtype::execution: return "Execution error";
    case ResultSubtype::max_structured_retries: break;
  }
  return "Error: " +
         (result.errors.empty() ? std::string(to_string(result.subtype)) : result.errors.front());
}

}  // namespace ralph::session
