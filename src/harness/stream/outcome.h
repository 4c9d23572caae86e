#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "harness/stream/event.h"
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

/// One row of the table: its name in files, its exit code (cancelled: 128 + the signal), its
/// meaning and what a person can do about it.
struct OutcomeRow {
  Outcome outcome;
  std::string_view name;
  int exit_code;
  Status status;
  std::string_view meaning;
  std::string_view hint;
};
std::span<const OutcomeRow> outcome_table();
const OutcomeRow& row(Outcome outcome);

/// A cost limit for a model whose cost cannot be counted.
Error no_price_error(std::string_view model);
std::optional<Outcome> outcome_named(std::string_view name);

/// How the process came to its end, as far as that is known.
struct Ending {
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string limit;         // the deadline of ours that ended it: "wall", "silence", "after_end"
  std::string limit_length;  // how long that is: "10m"
  std::string over_budget;   // we stopped it for its cost: "$0.51 of $0.50"
  std::string
      unpriced_model;  // we stopped it because its cost limit could not be kept with this model
  std::string refused_key;  // we stopped it because its key was refused: what was said about it
  std::optional<int> cancelled_by;  // the signal that asked us to stop
  std::optional<Error> storage_error;
  std::optional<Error> read_error;  // what it printed could not be read to the end
  bool denials_allowed = false;     // an agent that went on without a tool may still have succeeded
  std::string last_words;           // the end of its stderr
  std::string auth_hint;            // how to log in with this agent; empty: not known
  std::string raw_log;              // the path of what it printed
  std::int64_t attempts = 1;
  std::int64_t skipped_lines = 0;
};

/// What a signal to ralph is: "Ctrl-C (SIGINT)", "SIGTERM".
std::string stopped_by(int signal_number);

/// The judgement on a run, ready to be shown, stored and exited with.
struct Verdict {
  Outcome outcome = Outcome::no_result;
  std::string detail;  // the signal, the limit, the tools …
  std::optional<std::int64_t> resets_at;
  std::string raw_log;  // named in the message where only it can explain what happened

  int exit_code() const;
  Status status() const { return row(outcome).status; }
  /// One sentence, with the detail and, for failures, what to do.
  std::string message() const;
  /// The same without what to do.
  std::string reason() const;

  int signal = 0;         // for cancelled
  std::string hint = {};  // what to do; empty: what the table says
};

/// Never by exit code alone, never by an error event alone; a kill by us after the result is no
/// failure, and a result outlives a later turn that does not end.
Verdict classify(const Summary& summary, const Ending& ending);

/// What a result event says that nobody else keeps.
struct ResultTexts {
  std::string why;     // verdict.message()
  std::string denied;  // summary.denials_json()
};
ResultTexts result_texts(const Summary& summary, const Verdict& verdict);

/// The one result event of a run. Borrows from its arguments.
RunResult make_result(const Summary& summary, const Ending& ending, const Verdict& verdict,
                      const ResultTexts& texts);

}  // namespace ralph::stream
