#include <algorithm>
#include <csignal>
#include <cstring>

#include <fmt/core.h>

#include "harness/stream/outcome.h"

namespace ralph::stream {
namespace {

Verdict verdict(Outcome outcome, std::string detail = {}) {
  return {.outcome = outcome, .detail = std::move(detail)};
}

std::string denied_tools(const Summary& summary) {
  std::vector<std::string> names;
  for (const auto& denial : summary.denials) {
    if (std::ranges::find(names, denial.tool) == names.end()) names.push_back(denial.tool);
  }
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The hint is left out when the agent's message says what to do.
Verdict auth_failed(const ProcessEnd& end, const CredentialRejected& rejected) {
  auto failed = verdict(Outcome::auth_failed, rejected.message);
  if (!end.auth_hint.empty()) failed.hint = end.auth_hint;
  if (rejected.http_status == 401 && !end.key_source.empty()) {
    failed.headline = "API key rejected";
    failed.key_source = end.key_source;
    failed.detail.clear();
  } else if (rejected.says_remedy) {
    failed.hint = "";
  }
  return failed;
}

/// A failure for which the agent reported the cause.
Verdict explained(const Summary& summary, const ProcessEnd& end) {
  const auto& error = *summary.error;
  switch (error.error_class) {
    case ErrorClass::auth:
      return auth_failed(end, {error.message, error.http_status, error.says_remedy});
    case ErrorClass::rate_limit: {
      auto limited = verdict(Outcome::rate_limited, error.message);
      limited.resets_at = error.resets_at;
      return limited;
    }
    case ErrorClass::limit: return verdict(Outcome::limit_reached, error.message);
    default: return verdict(Outcome::agent_error, error.message);
  }
}

std::string signal_words(int number) {
  const char* words = ::sigdescr_np(number);
  return words == nullptr ? fmt::format("signal {}", number) : words;
}

std::string exit_words(const ProcessEnd& end) {
  if (end.signal) return fmt::format("signal {} ({})", *end.signal, signal_words(*end.signal));
  return fmt::format("exit code {}", end.exit_code.value_or(0));
}

Verdict timed_out(const TimeLimitReached& reached) {
  const auto length = format_duration(reached.length);
  auto stopped = verdict(Outcome::timed_out);
  switch (reached.limit) {
    case TimeLimit::run:
      stopped.headline = fmt::format("not finished after {} (--timeout); agent stopped", length);
      break;
    case TimeLimit::loop:
      stopped.headline = fmt::format("not finished after {} (--max-time); agent stopped", length);
      break;
    case TimeLimit::idle:
      stopped.headline = fmt::format("no output for {} (--idle-timeout); agent stopped", length);
      break;
    case TimeLimit::exit:
      stopped.headline =
          fmt::format("no exit {} after the result (--after-end-timeout); agent stopped", length);
      break;
  }
  return stopped;
}

Verdict cost_limit_reached(const CostLimitReached& reached) {
  auto stopped = verdict(Outcome::limit_reached,
                         fmt::format("${:.4f} of ${:.4f}", reached.cost_usd, reached.limit_usd));
  stopped.headline = "cost limit reached";
  return stopped;
}

bool exited_badly(const ProcessEnd& end) {
  return end.signal.has_value() || end.exit_code.value_or(0) != 0;
}

/// The agent got a SIGINT that ralph did not get: from another program, or by a Ctrl-C.
bool was_interrupted(const ProcessEnd& end) {
  return end.signal == SIGINT || end.exit_code == 128 + SIGINT;
}

bool stopped_by_ralph(const ProcessEnd& end) {
  return end.time_limit || end.unpriced_model || end.cost_limit || end.cancelled_by;
}

bool denied(const Summary& summary, const ProcessEnd& end) {
  return !summary.denials.empty() && !end.denials_allowed;
}

Verdict without_result(const Summary& summary, const ProcessEnd& end) {
  using enum ErrorClass;
  if (summary.error &&
      (summary.error->error_class == auth || summary.error->error_class == rate_limit)) {
    return explained(summary, end);
  }
  if (denied(summary, end)) return verdict(Outcome::permission_denied, denied_tools(summary));
  if (was_interrupted(end)) {
    auto stopped = verdict(Outcome::cancelled, "the agent was interrupted, " + exit_words(end));
    stopped.stopped_by = SIGINT;
    return stopped;
  }
  if (end.refusal && !summary.any_event() && end.exit_code.value_or(0) != 0) {
    const bool by_settings = *end.refusal == StartRefusal::settings;
    return verdict(by_settings ? Outcome::bad_config : Outcome::bad_usage,
                   "the agent reported: " + end.stderr_line);
  }
  if (exited_badly(end)) {
    const auto last_line = end.stderr_line.empty() ? "" : ": " + end.stderr_line;
    return verdict(Outcome::crashed, exit_words(end) + last_line);
  }
  return verdict(summary.any_event() ? Outcome::no_result : Outcome::no_output, end.stderr_line);
}

Verdict with_result(const Summary& summary, const ProcessEnd& end) {
  const bool is_error = summary.results.back().is_error;
  const bool has_cause = summary.error && summary.error->error_class != ErrorClass::unknown;
  if (denied(summary, end) && !(is_error && has_cause)) {
    return verdict(Outcome::permission_denied, denied_tools(summary));
  }
  if (is_error) return summary.error ? explained(summary, end) : verdict(Outcome::agent_error);
  if (summary.turns == 0 && summary.usage().output == 0) {
    return verdict(Outcome::agent_error, "the prompt did not reach the model");
  }
  if (summary.text.empty() && summary.structured.empty()) {
    return summary.streamed_text.empty()
               ? verdict(Outcome::no_output, "the result is empty")
               : verdict(Outcome::degraded, "the result is empty; using the streamed text");
  }
  if (!stopped_by_ralph(end) && exited_badly(end)) {
    return verdict(Outcome::degraded, exit_words(end) + " after the result");
  }
  return verdict(Outcome::ok);
}

/// A further turn, which ralph did not stop, has no end: the earlier result stays valid.
Verdict with_open_turn(const Summary& summary, const ProcessEnd& end) {
  auto judged = with_result(summary, end);
  if (judged.status() != Status::success) return judged;
  std::string detail = "a later turn did not end";
  if (end.signal || end.exit_code) detail += " (" + exit_words(end) + ")";
  if (summary.error && !summary.error->message.empty()) detail += ": " + summary.error->message;
  return verdict(Outcome::degraded, std::move(detail));
}

/// A stop after a result that is not empty does not change the outcome.
Verdict when_cancelled(const Summary& summary, const ProcessEnd& end) {
  const bool answered =
      summary.result_count > 0 && !summary.turn_open() && !summary.results.back().is_error;
  if (answered) {
    auto judged = with_result(summary, end);
    if (judged.outcome != Outcome::no_output) return judged;
  }
  auto stopped = verdict(Outcome::cancelled, end.cancelled_by->text());
  stopped.stopped_by = end.cancelled_by;
  return stopped;
}

Verdict judge(const Summary& summary, const ProcessEnd& end) {
  if (end.storage_error) return verdict(Outcome::storage_failed, describe(*end.storage_error));
  if (end.cancelled_by) return when_cancelled(summary, end);
  if (end.read_error) return verdict(Outcome::read_failed, end.read_error->message);
  const bool answered = summary.result_count > 0;
  const bool lingered = end.time_limit && end.time_limit->limit == TimeLimit::exit;
  const bool done = answered && (!summary.turn_open() || lingered);
  // An agent that reports "interrupted" because ralph ended it did not fail.
  const bool valid = done && (!summary.results.back().is_error || lingered);
  if (!valid) {
    if (end.credential_rejected) return auth_failed(end, *end.credential_rejected);
    if (end.unpriced_model) {
      return verdict(Outcome::bad_config, describe(no_price_error(*end.unpriced_model)));
    }
    if (end.cost_limit) return cost_limit_reached(*end.cost_limit);
    if (end.time_limit) return timed_out(*end.time_limit);
  }
  if (!answered) return without_result(summary, end);
  return done ? with_result(summary, end) : with_open_turn(summary, end);
}

}  // namespace

Verdict classify(const Summary& summary, const ProcessEnd& end) {
  auto judged = judge(summary, end);
  judged.raw_log = end.raw_log;
  return judged;
}

}  // namespace ralph::stream
