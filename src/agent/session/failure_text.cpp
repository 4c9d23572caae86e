#include "agent/session/failure_text.h"

#include <algorithm>

#include <fmt/core.h>

#include "core/base/mask.h"
#include "core/base/time.h"
#include "core/base/utf8.h"

namespace ralph::session {
namespace {

using api::FailureKind;

bool has_credit_problem(const api::Failure& failure) {
  return failure.message.find("credit balance") != std::string::npos;
}

std::string rejected(const api::Failure& failure, std::string_view model, bool with_token) {
  const auto told = fmt::format("API Error: {} {}", failure.status, failure.message);
  switch (failure.status) {
    case 401:
      return with_token ? "Failed to authenticate. " + told
                        : "Invalid API key · Fix external API key";
    case 403: return "Failed to authenticate. " + told;
    case 404:
      return fmt::format(
          "The model {} may not exist at this endpoint, or is not yours to use: {}. "
          "Choose another with --model.",
          model, failure.message);
    case 429: return fmt::format("API Error: Request rejected (429) · {}", failure.message);
    case 529:
      return "API Error: Repeated 529 Overloaded errors. The API is at capacity; try again in a "
             "moment.";
    default: break;
  }
  if (has_credit_problem(failure)) return "Credit balance is too low";
  return told;
}

std::string text_for(const api::Failure& failure, std::string_view model, bool with_token) {
  if (const auto size = api::prompt_too_long(failure)) {
    return fmt::format("Prompt is too long · the request has {} tokens, the model takes {}",
                       size->tokens, size->limit);
  }
  if (failure.kind == FailureKind::status) return rejected(failure, model, with_token);
  return "API Error: " + failure.message;
}

/// What an endpoint says may hold our key, and bytes that a terminal obeys.
std::string presentable(std::string_view text) {
  auto masked = utf8::repaired(Masker().mask(text));
  std::ranges::replace_if(
      masked, [](char c) { return (c >= 0 && c < ' ' && c != '\n') || c == '\x7f'; }, ' ');
  for (std::size_t at = 0; (at = masked.find('\xC2', at)) != masked.npos; ++at) {
    const bool is_c1 = at + 1 < masked.size() && static_cast<unsigned char>(masked[at + 1]) < 0xA0;
    if (is_c1) masked[at] = masked[at + 1] = ' ';
  }
  return masked;
}

/// An answer that failed for good is named a little differently from a try that failed.
std::string_view final_name(const api::Failure& failure) {
  if (failure.kind != FailureKind::status && failure.kind != FailureKind::error_event) {
    return "server_error";
  }
  const auto name = api::event_name(failure);
  return name == "overloaded" ? "server_error" : name;
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
  if (has_no_connection(failure)) report.facts.api_error = "connection_failed";
  if (failure.status == 413 || api::media_refusal(failure))
    report.terminal_reason = TerminalReason::image_error;
  if (api::prompt_too_long(failure)) report.terminal_reason = TerminalReason::prompt_too_long;
  return report;
}

ApiErrorFacts media_removed(const api::MediaRefusal& refusal, api::MediaKind removed) {
  const bool document = removed == api::MediaKind::document;
  ApiErrorFacts facts;
  facts.text = presentable(
      fmt::format("API Error: the API refused {} of the conversation ({}). It was removed, and the "
                  "model is asked again.",
                  document ? "a document" : "an image", refusal.reason));
  facts.error = "invalid_request";
  facts.stop_reason = "tool_use";
  facts.api_error = "media_removed";
  facts.params = refusal.kind == api::MediaKind::any
                     ? R"({"media_reason":"media_budget"})"
                     : fmt::format(R"({{"media":"{}","media_reason":"unprocessable"}})",
                                   document ? "document" : "image");
  return facts;
}

FailureReport not_logged_in() {
  FailureReport report;
  report.facts.text = "Not logged in · Set ANTHROPIC_API_KEY or run: ralph auth login";
  report.facts.error = "authentication_failed";
  return report;
}

FailureReport broken_again(const api::Reply& reply, bool with_token) {
  api::Failure failure;
  failure.kind = FailureKind::cut;
  failure.message = "the answer broke off again and again";
  failure.request_id = reply.request_id;
  return failure_report(failure, reply.model, with_token);
}

FailureReport too_long_again(std::int64_t max_tokens) {
  FailureReport report;
  report.facts.text = fmt::format(
      "API Error: the answer exceeded {} output tokens again and again. "
      "CLAUDE_CODE_MAX_OUTPUT_TOKENS sets the limit.",
      max_tokens);
  report.facts.error = "max_output_tokens";
  report.facts.api_error = "max_output_tokens";
  report.facts.params = R"({"cut":"output_limit"})";
  return report;
}

FailureReport refused_again(const api::Reply& reply, std::string_view model) {
  FailureReport report;
  report.facts.text = fmt::format(
      "API Error: {}'s safety checks refuse to answer. Rephrase the request in a new session, or "
      "choose another model. Request ID: {}",
      model, reply.request_id);
  report.facts.error = "invalid_request";
  report.facts.stop_reason = "refusal";
  report.facts.request_id = reply.request_id;
  report.facts.refused_message_id = reply.id;
  return report;
}

FailureReport stopped_by_loop_guard(std::int64_t times, std::string_view repeated) {
  FailureReport report;
  report.facts.text = fmt::format(
      "Loop guard: the model did the same {} times in a row, with the same result: {}. The turn "
      "was ended. Make the task clearer or remove what it is stuck at, then go on with --continue; "
      "--loop-guard N (RALPH_AGENT_LOOP_GUARD) sets how much is too much, 0 switches it off.",
      times, repeated);
  report.facts.error = "loop_guard";
  report.terminal_reason = TerminalReason::loop_guard;
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
