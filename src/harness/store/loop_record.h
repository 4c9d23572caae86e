#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/time.h"
#include "harness/stream/event.h"
#include "harness/stream/outcome.h"

namespace ralph::store {

/// Where the time of a run went.
struct TimeSplit {
  Millis model{0}, tools{0}, other{0};

  TimeSplit& operator+=(const TimeSplit& more);
  Millis total() const { return model + tools + other; }
  bool operator==(const TimeSplit&) const = default;
};

/// What a user should look at when the loop is over.
struct Finding {
  enum class Kind { other, unused_goal };
  std::string text;
  std::vector<std::string> paths = {};  // that the text names
  Kind kind = Kind::other;
  bool operator==(const Finding&) const = default;
};

/// What verification said about one DONE.
struct Verification {
  bool passed = false;
  std::string command;  // the one that failed; empty: all passed
  std::string reason;   // "exit code 1", "took longer than 10m"
  std::string tail;     // the end of what it printed
  Millis duration{0};
  std::string where = {};                  // "in the working tree", "in a clean clone"
  std::vector<std::string> commands = {};  // that ran, as people know them
  std::vector<Finding> findings = {};  // possible tampering that did not decide; not in the file
  std::optional<int> exit_code = {};   // of the command that failed; not in the file
  std::string missing_program = {};    // that the command needs; not in the file
  bool operator==(const Verification&) const = default;
};

/// What the loop itself decided about a step.
enum class LoopDecision {
  refused,  // a DONE, by verification
  interrupted,
  no_summary,
  unchanged,  // DONE, but no file was changed
  tampered,
  not_committed,
};
/// How a step ended: as its run did, or as the loop decided. Neither: no run, or a word of another version of ralph.
using StepOutcome = std::variant<std::monostate, stream::Outcome, LoopDecision>;
std::string_view name_of(const StepOutcome& outcome);
StepOutcome step_outcome_named(std::string_view name);

/// One line of progress.ndjson: something the loop did that is over. Every cost is in exactly one of them.
struct LoopRecord {
  enum class Step {
    iteration,  // counts: there is one for every iteration
    attempt,    // a start that does not count: interrupted, rate limited, an outage
    summary,    // of the summarizer
    undo,       // 'ralph undo' undid iterations, or restored a state
  };
  Step step = Step::iteration;
  std::int64_t iteration = 0;  // of Step::summary: how many iterations its text covers
  UtcTime at;                  // when it was over
  std::string run_id;
  std::string raw_log;   // of that run, as seen from the workspace; empty: not known
  std::string progress;  // what the agent said it did; of a summary or an undo: its text
  std::string failure;   // why a step without an answer failed; empty: it has one
  StepOutcome outcome;
  bool failed = false;        // counts as one of the consecutive failures
  bool done = false;          // the agent said DONE
  bool changed = false;       // files of the workspace changed
  std::string tree;           // what the workspace was like after it: an id of its content
  std::string commit;         // made after it; empty: none
  std::string commit_before;  // where the repository stood when it began
  std::string head;           // HEAD after it, without --commit; empty: as before it
  std::string note;           // what else the user saw: "'GOAL.md' was edited: …"
  std::string model;          // the agent said it used; empty: not known
  std::vector<std::int64_t> taken_back;  // of an undo: all iterations whose commits are gone now
  std::optional<Verification> verification;
  std::optional<double> cost_usd;
  stream::Tokens tokens;
  TimeSplit time;
  std::int64_t tool_calls = 0;
  bool operator==(const LoopRecord&) const = default;

  bool is(LoopDecision decision) const { return outcome == StepOutcome(decision); }
};

/// An answer that says only that the goal is reached.
inline constexpr std::string_view kDone = "DONE";
inline constexpr std::string_view kClaimed = "claimed by the agent; nothing checked it";
/// What made a DONE count: "verified by `make test` in the working tree", or kClaimed.
std::string how_known(const LoopRecord& record);

/// The newest step of the worker; null: there is none.
const LoopRecord* last_worker_step(const std::vector<LoopRecord>& records);
/// Iterations that are undone now ('ralph undo').
std::vector<std::int64_t> taken_back(const std::vector<LoopRecord>& records);
/// A model, and how many runs of the worker used it.
struct ModelUse {
  std::string model;
  std::int64_t runs = 0;
  bool operator==(const ModelUse&) const = default;
};
/// Every model that agents reported, in the order of their first run.
std::vector<ModelUse> models_used(const std::vector<LoopRecord>& records);
/// By the newest iteration whose agent said so; empty: none did.
std::string model_used(const std::vector<LoopRecord>& records);
/// "iteration 3", "iterations 2-4, 6"; their numbers are in order.
std::string iterations_text(const std::vector<std::int64_t>& iterations);

std::string_view to_string(LoopRecord::Step step);

/// For people and for the agent: `progress`, or "ERROR: " and the failure.
std::string progress_text(const LoopRecord& record);

/// One JSON object on one line, without the newline; read_record() reads it back. Keys we do not know are ignored.
std::string write_record(const LoopRecord& record);
std::optional<LoopRecord> read_record(std::string_view line);

}  // namespace ralph::store
