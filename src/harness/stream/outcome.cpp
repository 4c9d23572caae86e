#include "harness/stream/outcome.h"

#include <algorithm>
#include <array>
#include <csignal>

#include <fmt/core.h>

#include "core/base/time.h"

namespace ralph::stream {
namespace {

constexpr std::array kTable = std::to_array<OutcomeRow>({
    {Outcome::ok, "ok", 0, Status::success, "the agent finished", ""},
    {Outcome::degraded, "degraded", 0, Status::success, "the agent finished with a problem",
     "check the text before you rely on it"},
    {Outcome::agent_error, "agent_error", 1, Status::failed, "the agent reported an error", ""},
    {Outcome::no_result, "no_result", 1, Status::incomplete, "the agent exited without a result",
     "see the raw log"},
    {Outcome::no_output, "no_output", 1, Status::incomplete, "the agent produced no output",
     "see the raw log and its .stderr file"},
    {Outcome::crashed, "crashed", 1, Status::failed, "the agent crashed",
     "see the .stderr file beside the raw log"},
    {Outcome::read_failed, "read_failed", 1, Status::failed, "cannot read the output of the agent",
     "see the raw log"},
    {Outcome::not_started, "not_started", 1, Status::failed, "cannot start the agent", ""},
    {Outcome::bad_usage, "bad_usage", 2, Status::failed, "invalid command line", ""},
    {Outcome::bad_config, "bad_config", 2, Status::failed, "invalid configuration", ""},
    {Outcome::not_installed, "not_installed", 3, Status::failed,
     "the agent is not installed or not executable", "'ralph doctor' lists the installed agents"},
    {Outcome::auth_failed, "auth_failed", 3, Status::failed, "authentication failed",
     "check the API key, or log in with the agent"},
    {Outcome::permission_denied, "permission_denied", 4, Status::failed, "tool use was denied",
     "allow the tool or change the permission mode"},
    {Outcome::rate_limited, "rate_limited", 5, Status::failed, "API rate limit reached",
     "wait for the reset or use another account"},
    {Outcome::limit_reached, "limit_reached", 6, Status::failed, "limit reached",
     "raise the limit or continue the session"},
    {Outcome::timed_out, "timed_out", 7, Status::timeout, "time limit reached; agent stopped", ""},
    {Outcome::storage_failed, "storage_failed", 8, Status::failed,
     "cannot write the logs or the state of the run; agent stopped",
     "free disk space, or check the permissions of the directory"},
    {Outcome::locked, "locked", 9, Status::failed, "another run is using this workspace",
     "wait for it or stop it"},
    {Outcome::cancelled, "cancelled", 130, Status::interrupted, "the run was stopped", ""},
});

/// Outcomes that only the raw log explains.
bool needs_log(Outcome outcome) {
  return outcome == Outcome::no_result || outcome == Outcome::no_output ||
         outcome == Outcome::crashed || outcome == Outcome::read_failed;
}

}  // namespace

Error no_price_error(std::string_view model) {
  return {Code::usage,
          fmt::format("cannot enforce the cost limit: the price of '{}' is unknown", model),
          "set --model-price IN/OUT (US dollars per million tokens), or remove the cost limit"};
}

const OutcomeRow& row(Outcome outcome) { return kTable[static_cast<std::size_t>(outcome)]; }

std::optional<Outcome> outcome_named(std::string_view name) {
  const auto found = std::ranges::find(kTable, name, &OutcomeRow::name);
  if (found == kTable.end()) return std::nullopt;
  return found->outcome;
}

Outcome outcome_of(Code code, ErrorSource source) {
  const bool in_command = source == ErrorSource::command;
  const bool cannot_start = source == ErrorSource::agent_start;
  switch (code) {
    case Code::not_found: return in_command ? Outcome::bad_usage : Outcome::not_installed;
    case Code::permission: return cannot_start ? Outcome::not_installed : Outcome::storage_failed;
    case Code::malformed: return cannot_start ? Outcome::not_installed : Outcome::not_started;
    case Code::limit: return in_command ? Outcome::limit_reached : Outcome::bad_usage;
    case Code::busy: return Outcome::locked;
    case Code::storage:
    case Code::disk_full: return Outcome::storage_failed;
    case Code::config: return Outcome::bad_config;
    case Code::usage: return Outcome::bad_usage;
    case Code::unavailable:
    case Code::internal: break;
  }
  return Outcome::not_started;
}

int Verdict::exit_code() const {
  return outcome == Outcome::cancelled && stopped_by ? stopped_by->exit_code()
                                                     : row(outcome).exit_code;
}

std::string join_message(const MessageParts& parts) {
  std::string text(parts.headline);
  if (!parts.detail.empty()) text += fmt::format(": {}", parts.detail);
  if (parts.addition.empty() && parts.hint.empty()) return text;
  const auto* const between = parts.addition.empty() || parts.hint.empty() ? "" : "; ";
  return text + fmt::format(" ({}{}{})", parts.addition, between, parts.hint);
}

std::string Verdict::addition() const {
  if (!key_source.empty()) return fmt::format("{}, HTTP 401", key_source);
  if (resets_at) return "resets at " + iso_utc(UtcTime(std::chrono::seconds(*resets_at)));
  return needs_log(outcome) && !raw_log.empty() ? "output: " + raw_log : std::string();
}

MessageParts Verdict::parts(std::string_view addition) const {
  const bool names_log = needs_log(outcome) && !raw_log.empty();
  MessageParts parts{headline.empty() ? row(outcome).meaning : headline, detail, addition, {}};
  if (hint) {
    parts.hint = *hint;
  } else if (!names_log) {
    parts.hint = row(outcome).hint;
  }
  return parts;
}

std::string Verdict::reason() const {
  const auto added = addition();
  auto all = parts(added);
  all.hint = {};
  return join_message(all);
}

std::string Verdict::message() const {
  const auto added = addition();
  return join_message(parts(added));
}

ResultTexts result_texts(const Summary& summary, const Verdict& judged) {
  return {judged.addition(), judged.message(),
          summary.denials.empty() ? "" : summary.denials_json()};
}

RunResult make_result(const Summary& summary, const ProcessEnd& end, const Verdict& judged,
                      const ResultTexts& texts) {
  RunResult result;
  result.status = judged.status();
  result.outcome = row(judged.outcome).name;
  result.why = texts.why;
  if (result.status != Status::success) {
    const auto parts = judged.parts(texts.addition);
    result.headline = parts.headline;
    result.detail = parts.detail;
    result.addition = parts.addition;
    result.hint = parts.hint;
  }
  result.text =
      summary.text.empty() && summary.structured.empty() ? summary.streamed_text : summary.text;
  result.structured.text = summary.structured;
  result.session_id = summary.session_id;
  result.model = summary.model;
  result.usage = summary.usage();
  result.cost_usd = summary.cost_usd();
  result.cost_source = summary.cost_source();
  result.usage_is_minimum = summary.usage_is_minimum();
  result.turns = summary.turns;
  result.duration_ms = summary.duration_ms;
  if (end.exit_code) result.exit_code = *end.exit_code;
  if (end.signal) result.signal = *end.signal;
  result.denials = summary.denial_count;
  result.skipped_lines = end.skipped_lines;
  result.degraded = judged.outcome == Outcome::degraded;
  result.agent_version = summary.agent_version;
  result.streamed_text = summary.streamed_text;
  result.denied.text = texts.denied;
  result.raw_log = end.raw_log;
  result.attempts = end.attempts;
  return result;
}

}  // namespace ralph::stream
