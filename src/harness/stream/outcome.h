#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/time.h"
#include "harness/stream/event.h"
#include "harness/stream/stop_cause.h"
#include "harness/stream/summary.h"

namespace ralph::stream {

/// Every way a run, or ralph itself, can end.
enum class Outcome {
  ok,
  degraded,
  agent_error,
  no_result,
  no_output,
  crashed,
  read_failed,
  not_started,
  bad_usage,
  bad_config,
  not_installed,
  auth_failed,
  permission_denied,
  rate_limited,
  limit_reached,
  timed_out,
  storage_failed,
  locked,
  cancelled
};

/// One row of the table: the name in files, the exit code (cancelled: 128 + the signal), the message
/// and the hint for people.
struct OutcomeRow {
  Outcome outcome;
  std::string_view name;
  int exit_code;
  Status status;
  std::string_view meaning;
  std::string_view hint;
};
const OutcomeRow& row(Outcome outcome);

/// A cost limit is set and the price of the model is unknown.
Error no_price_error(std::string_view model);
/// Where an error happened outside the agent: in a command of ralph, in starting the agent, elsewhere in a run.
enum class ErrorSource { command, agent_start, run };
Outcome outcome_of(Code code, ErrorSource source);

std::optional<Outcome> outcome_named(std::string_view name);

/// A time limit of ralph. `run` and `loop` limit the whole time (--timeout, --max-time), `idle` the
/// time without output, `exit` the time between the result and the exit of the process.
enum class TimeLimit { run, loop, idle, exit };
struct TimeLimitReached {
  TimeLimit limit = TimeLimit::run;
  Millis length{0};
};
struct CostLimitReached {
  double cost_usd = 0, limit_usd = 0;
};
/// The API rejected the agent's credential.
struct CredentialRejected {
  std::string message;  // of the agent
  std::optional<std::int64_t> http_status = {};
  bool says_remedy = false;  // the message says what to do
};
/// What the agent refused to start with.
enum class StartRefusal { command_line, settings };

/// How the agent's process ended, and for what ralph ended it; empty: unknown, or not the cause.
struct ProcessEnd {
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::optional<TimeLimitReached> time_limit;
  std::optional<CostLimitReached> cost_limit;
  std::optional<std::string> unpriced_model;  // there is a cost limit and no price for this model
  std::optional<CredentialRejected> credential_rejected;
  std::optional<StopCause> cancelled_by;
  std::optional<Error> storage_error;
  std::optional<Error> read_error;  // reading the agent's output failed
  std::optional<StartRefusal> refusal;
  bool denials_allowed = false;  // a run with denied tool calls may succeed
  std::string stderr_line;       // the last error, or else the last line, on stderr
  std::string key_source;        // variable or file of the agent's API key; empty: none, or unknown
  std::string auth_hint;         // how to log in with this agent; empty: unknown
  std::string raw_log;           // path
  std::int64_t attempts = 1;
  std::int64_t skipped_lines = 0;
};

/// The parts of a message: "headline: detail (addition; hint)", each of them may be empty.
struct MessageParts {
  std::string_view headline, detail, addition, hint;
};
std::string join_message(const MessageParts& parts);

/// How a run ended: the outcome and the facts its message names.
struct Verdict {
  Outcome outcome = Outcome::no_result;
  std::string detail = {};  // the signal, the tools, the agent's message …
  std::optional<std::int64_t> resets_at = {};
  std::string raw_log = {};  // named in the message of an outcome that only the log explains
  std::optional<StopCause> stopped_by = {};  // for cancelled
  std::string headline = {};                 // replaces the table's meaning; empty: it does not
  std::string key_source = {};               // of a rejected API key
  std::optional<std::string> hint = {};      // replaces the table's; "": there is none

  int exit_code() const;
  Status status() const { return row(outcome).status; }
  /// One sentence with the detail and, for failures, the hint.
  std::string message() const;
  /// message() without the hint.
  std::string reason() const;
  /// What the message adds to headline and detail; empty: nothing.
  std::string addition() const;
  /// The parts of message(); `addition` outlives them.
  MessageParts parts(std::string_view addition) const;
};

/// Neither the exit code nor an error event alone decides. A process that ralph ended after its
/// result did not fail, and a result stays valid when a later turn does not end.
Verdict classify(const Summary& summary, const ProcessEnd& end);

/// Owns the texts that a RunResult borrows.
struct ResultTexts {
  std::string addition;  // verdict.addition()
  std::string why;       // verdict.message()
  std::string denied;    // summary.denials_json()
};
ResultTexts result_texts(const Summary& summary, const Verdict& verdict);

/// The one result event of a run. Borrows from its arguments.
RunResult make_result(const Summary& summary, const ProcessEnd& end, const Verdict& verdict,
                      const ResultTexts& texts);

}  // namespace ralph::stream
