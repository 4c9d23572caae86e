#include "harness/stream/outcome.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>

#include <fmt/core.h>

#include "core/base/time.h"
#include "harness/stream/stop_command.h"

namespace ralph::stream {
namespace {

constexpr std::array kTable = std::to_array<OutcomeRow>({
    {Outcome::ok, "ok", 0, Status::success, "the agent finished", ""},
    {Outcome::degraded, "degraded", 0, Status::success, "the agent finished, but not cleanly",
     "read the text before you rely on it"},
    {Outcome::agent_error, "agent_error", 1, Status::failed, "the agent reported an error", ""},
    {Outcome::no_result, "no_result", 1, Status::incomplete,
     "the agent ended without saying that it was done", "the raw log holds all it printed"},
    {Outcome::no_output, "no_output", 1, Status::incomplete, "the agent said nothing",
     "the raw log and its .stderr file hold what there is"},
    {Outcome::crashed, "crashed", 1, Status::failed, "the agent crashed",
     "its stderr is beside the raw log"},
    {Outcome::read_failed, "read_failed", 1, Status::failed,
     "the output of the agent could not be read", "the raw log holds what was read"},
    {Outcome::not_started, "not_started", 1, Status::failed, "the agent could not be started", ""},
    {Outcome::bad_usage, "bad_usage", 2, Status::failed, "the command line is wrong", ""},
    {Outcome::bad_config, "bad_config", 2, Status::failed, "the configuration is wrong", ""},
    {Outcome::not_installed, "not_installed", 3, Status::failed,
     "the agent is not installed, or cannot be run", "'ralph doctor' shows which agents are"},
    {Outcome::auth_failed, "auth_failed", 3, Status::failed, "the agent could not log in",
     "check the API key or log in with the agent itself"},
    {Outcome::permission_denied, "permission_denied", 4, Status::failed,
     "the agent was not permitted to use a tool", "allow the tool or change the permission mode"},
    {Outcome::rate_limited, "rate_limited", 5, Status::failed, "the API's rate limit was reached",
     "wait for the reset or use another account"},
    {Outcome::limit_reached, "limit_reached", 6, Status::failed, "a limit was reached",
     "raise the limit or continue the session"},
    {Outcome::timed_out, "timed_out", 7, Status::timeout, "the agent was stopped at a time limit",
     "raise it if that was too short"},
    {Outcome::storage_failed, "storage_failed", 8, Status::failed,
     "the run could not be recorded and was stopped",
     "free some disk space or check the folder's rights"},
    {Outcome::locked, "locked", 9, Status::failed, "another run is using this workspace",
     "wait for it or stop it"},
    {Outcome::cancelled, "cancelled", 130, Status::interrupted, "the run was stopped", ""},
});

Verdict verdict(Outcome outcome, std::string detail = {}) {
  return {outcome, std::move(detail), {}, {}, 0};
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

/// A failure the agent explained.
Verdict explained(const Summary& summary) {
  const auto& error = *summary.error;
  switch (error.error_class) {
    case ErrorClass::auth: return verdict(Outcome::auth_failed, error.message);
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

std::string exit_words(const Ending& ending) {
  if (ending.signal)
    return fmt::format("signal {} ({})", *ending.signal, signal_words(*ending.signal));
  return fmt::format("exit code {}", ending.exit_code.value_or(0));
}

std::string limit_words(const Ending& ending) {
  if (ending.limit_length.empty()) return ending.limit + " limit";
  return ending.limit == "silence"
             ? fmt::format("no output for {}, the limit of --idle-timeout", ending.limit_length)
             : "it did not end within " + ending.limit_length;
}

bool exited_badly(const Ending& ending) {
  return ending.signal.has_value() || ending.exit_code.value_or(0) != 0;
}

/// The agent itself got a SIGINT, from another program or as a Ctrl-C that ralph did not see.
bool was_interrupted(const Ending& ending) {
  return ending.signal == SIGINT || ending.exit_code == 128 + SIGINT;
}

bool stopped_by_us(const Ending& ending) {
  return !ending.limit.empty() || !ending.unpriced_model.empty() || !ending.over_budget.empty() ||
         ending.cancelled_by;
}

bool denied(const Summary& summary, const Ending& ending) {
  return !summary.denials.empty() && !ending.denials_allowed;
}

/// What the parsers of command lines print: commander, clap, argparse, getopt, Go's flag.
constexpr auto kUsageErrors = std::to_array<std::string_view>({
    "unknown option",
    "unknown argument",
    "unknown flag",
    "unrecognized option",
    "unrecognized argument",
    "unexpected argument '-",
    "invalid option",
    "invalid choice",
    "invalid value '",
    "is invalid. allowed choices are",
    "argument missing",
    "flag provided but not defined",
});

/// The agent refused its command line: the next start would end the same way.
bool refused_usage(const Summary& summary, const Ending& ending) {
  if (summary.any_event() || ending.exit_code.value_or(0) == 0) return false;
  std::string words = ending.last_words;
  std::ranges::transform(words, words.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return std::ranges::any_of(kUsageErrors,
                             [&](std::string_view error) { return words.contains(error); });
}

/// So says ralph's own agent of a settings file that is broken.
bool refused_settings(const Summary& summary, const Ending& ending) {
  return !summary.any_event() && ending.exit_code.value_or(0) != 0 &&
         ending.last_words.starts_with("Error: the settings in ");
}

Verdict without_result(const Summary& summary, const Ending& ending) {
  using enum ErrorClass;
  if (summary.error &&
      (summary.error->error_class == auth || summary.error->error_class == rate_limit)) {
    return explained(summary);
  }
  if (denied(summary, ending)) return verdict(Outcome::permission_denied, denied_tools(summary));
  if (was_interrupted(ending)) {
    auto stopped = verdict(Outcome::cancelled, "the agent was interrupted, " + exit_words(ending));
    stopped.signal = SIGINT;
    return stopped;
  }
  if (refused_usage(summary, ending)) {
    return verdict(Outcome::bad_usage, "the agent said: " + ending.last_words);
  }
  if (refused_settings(summary, ending)) {
    return verdict(Outcome::bad_config, "the agent said: " + ending.last_words);
  }
  if (exited_badly(ending)) {
    const auto words = ending.last_words.empty() ? "" : ": " + ending.last_words;
    return verdict(Outcome::crashed, exit_words(ending) + words);
  }
  return verdict(summary.any_event() ? Outcome::no_result : Outcome::no_output, ending.last_words);
}

Verdict with_result(const Summary& summary, const Ending& ending) {
  const bool is_error = summary.results.back().is_error;
  const bool has_cause = summary.error && summary.error->error_class != ErrorClass::unknown;
  if (denied(summary, ending) && !(is_error && has_cause)) {
    return verdict(Outcome::permission_denied, denied_tools(summary));
  }
  if (is_error) return summary.error ? explained(summary) : verdict(Outcome::agent_error);
  if (summary.turns == 0 && summary.usage().output == 0) {
    return verdict(Outcome::agent_error, "the prompt never reached the model");
  }
  if (summary.text.empty() && summary.structured.empty()) {
    return summary.streamed_text.empty()
               ? verdict(Outcome::no_output, "its result is empty")
               : verdict(Outcome::degraded, "its result is empty, the streamed text is used");
  }
  if (!stopped_by_us(ending) && exited_badly(ending)) {
    return verdict(Outcome::degraded, exit_words(ending) + " after its result");
  }
  return verdict(Outcome::ok);
}

/// The agent had answered and began a further turn, which nobody cut short: the answer stands.
Verdict with_open_turn(const Summary& summary, const Ending& ending) {
  auto judged = with_result(summary, ending);
  if (judged.status() != Status::success) return judged;
  std::string detail = "a later turn did not end";
  if (ending.signal || ending.exit_code) detail += " (" + exit_words(ending) + ")";
  if (summary.error && !summary.error->message.empty()) detail += ": " + summary.error->message;
  return verdict(Outcome::degraded, std::move(detail));
}

/// A stop from outside changes nothing once the agent has answered. An empty answer is none.
Verdict when_cancelled(const Summary& summary, const Ending& ending) {
  const bool answered =
      summary.result_count > 0 && !summary.turn_open() && !summary.results.back().is_error;
  if (answered) {
    auto judged = with_result(summary, ending);
    if (judged.outcome != Outcome::no_output) return judged;
  }
  auto stopped = verdict(Outcome::cancelled, stopped_by(*ending.cancelled_by));
  stopped.signal = *ending.cancelled_by;
  return stopped;
}

Verdict judge(const Summary& summary, const Ending& ending) {
  if (ending.storage_error)
    return verdict(Outcome::storage_failed, describe(*ending.storage_error));
  if (ending.cancelled_by) return when_cancelled(summary, ending);
  if (ending.read_error) return verdict(Outcome::read_failed, ending.read_error->message);
  const bool answered = summary.result_count > 0;
  const bool done = answered && (!summary.turn_open() || ending.limit == "after_end");
  // An agent that says "interrupted" when we end it has not failed by itself.
  const bool stands = done && (!summary.results.back().is_error || ending.limit == "after_end");
  if (!ending.refused_key.empty() && !stands) {
    return verdict(Outcome::auth_failed, ending.refused_key);
  }
  if (!ending.unpriced_model.empty() && !stands) {
    return verdict(Outcome::bad_config, describe(no_price_error(ending.unpriced_model)));
  }
  if (!ending.over_budget.empty() && !stands) {
    return verdict(Outcome::limit_reached, "cost " + ending.over_budget);
  }
  if (!ending.limit.empty() && !stands) return verdict(Outcome::timed_out, limit_words(ending));
  if (!answered) return without_result(summary, ending);
  return done ? with_result(summary, ending) : with_open_turn(summary, ending);
}

/// "Not logged in · Please run /login": the agent's own words.
bool names_remedy(const Verdict& judged) {
  return judged.outcome == Outcome::auth_failed && judged.detail.contains(" · ");
}

}  // namespace

Error no_price_error(std::string_view model) {
  return {Code::usage,
          fmt::format("the cost limit cannot be kept: the price of model '{}' is not known", model),
          "give it with --model-price IN/OUT (model_price, in US dollars per million tokens), or "
          "leave the cost limit out"};
}

std::span<const OutcomeRow> outcome_table() { return kTable; }

const OutcomeRow& row(Outcome outcome) { return kTable[static_cast<std::size_t>(outcome)]; }

std::optional<Outcome> outcome_named(std::string_view name) {
  const auto found = std::ranges::find(kTable, name, &OutcomeRow::name);
  if (found == kTable.end()) return std::nullopt;
  return found->outcome;
}

int Verdict::exit_code() const {
  return outcome == Outcome::cancelled && signal > 0 ? exit_code_of_stop(signal)
                                                     : row(outcome).exit_code;
}

int exit_code_of_stop(int signal_number) {
  return 128 + (signal_number == kStopCommand ? SIGINT : signal_number);
}

std::string stopped_by(int signal_number) {
  switch (signal_number) {
    case SIGINT: return "Ctrl-C (SIGINT)";
    case SIGHUP: return "SIGHUP (the terminal was closed)";
    case SIGPIPE: return "the reader of stdout is gone (SIGPIPE)";
    case kStopCommand: return "'ralph stop --now'";
    default: break;
  }
  const char* name = ::sigabbrev_np(signal_number);
  return name == nullptr ? fmt::format("signal {}", signal_number) : fmt::format("SIG{}", name);
}

std::string Verdict::reason() const {
  std::string text(row(outcome).meaning);
  if (!detail.empty()) text += ": " + detail;
  if (resets_at) text += ", resets at " + iso_utc(UtcTime(std::chrono::seconds(*resets_at)));
  const bool log_explains = outcome == Outcome::no_result || outcome == Outcome::no_output ||
                            outcome == Outcome::crashed || outcome == Outcome::read_failed;
  if (log_explains && !raw_log.empty()) {
    text += fmt::format(" (all it printed is in {})", raw_log);
  }
  return text;
}

std::string Verdict::message() const {
  const std::string_view remedy = hint.empty() ? row(outcome).hint : hint;
  auto text = reason();
  return remedy.empty() || names_remedy(*this) || text.ends_with(fmt::format("is in {})", raw_log))
             ? text
             : fmt::format("{} ({})", text, remedy);
}

Verdict classify(const Summary& summary, const Ending& ending) {
  auto judged = judge(summary, ending);
  judged.raw_log = ending.raw_log;
  if (judged.outcome == Outcome::auth_failed) judged.hint = ending.auth_hint;
  return judged;
}

ResultTexts result_texts(const Summary& summary, const Verdict& judged) {
  return {judged.message(), summary.denials.empty() ? "" : summary.denials_json()};
}

RunResult make_result(const Summary& summary, const Ending& ending, const Verdict& judged,
                      const ResultTexts& texts) {
  RunResult result;
  result.status = judged.status();
  result.outcome = row(judged.outcome).name;
  result.why = texts.why;
  result.text =
      summary.text.empty() && summary.structured.empty() ? summary.streamed_text : summary.text;
  result.structured.text = summary.structured;
  result.session_id = summary.session_id;
  result.model = summary.model;
  result.usage = summary.usage();
  result.cost_usd = summary.cost_usd();
  result.cost_source = summary.cost_source();
  result.turns = summary.turns;
  result.duration_ms = summary.duration_ms;
  if (ending.exit_code) result.exit_code = *ending.exit_code;
  if (ending.signal) result.signal = *ending.signal;
  result.denials = summary.denial_count;
  result.skipped_lines = ending.skipped_lines;
  result.degraded = judged.outcome == Outcome::degraded;
  result.agent_version = summary.agent_version;
  result.streamed_text = summary.streamed_text;
  result.denied.text = texts.denied;
  result.raw_log = ending.raw_log;
  result.attempts = ending.attempts;
  return result;
}

}  // namespace ralph::stream
