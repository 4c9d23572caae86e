#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/own_output.h"
#include "core/base/time.h"
#include "harness/store/loop_record.h"
#include "harness/store/stop_reason.h"

namespace ralph::store {

enum class LoopStatus { running, waiting, ended };
std::string_view to_string(LoopStatus status);

/// The phase of the current iteration.
enum class Phase { agent, verify, commit, rollback, summary };
std::string_view to_string(Phase phase);

/// The iteration that is being worked on; --resume finds its run by it.
struct Current {
  std::int64_t iteration = 0;
  std::string run_id;
  UtcTime began;
  Phase phase = Phase::agent;
  std::string tree_before;  // an id of the workspace's content
  std::string commit_before;
  std::string branch;                 // HEAD was on; empty: on none
  std::vector<std::string> guidance;  // names of the messages its prompt holds
  bool operator==(const Current&) const = default;
};

/// LoopState::branch_at_start when HEAD was detached.
inline constexpr std::string_view kDetachedHead = "HEAD";

/// `state/loop.json`: the state of a loop. Completed steps are in progress.ndjson, never here.
struct LoopState {
  std::string loop_id;
  LoopStatus status = LoopStatus::running;
  std::string goal_file, goal;  // its name as the user wrote it, and the text that counts
  std::string goal_path;        // absolute; empty: it came from no file
  std::string
      goal_seen;  // what that file held when no agent worked; where it was changed later: after the last run
  UtcTime started, updated;
  std::optional<UtcTime> ended;  // of the last end, also while the loop runs again
  std::int64_t pid = 0;
  std::string backend, model;
  /// What the user said at the start, by setting; never variables for the agent.
  std::map<std::string, std::vector<std::string>> flags;
  std::string verify_digest;                           // of the commands that verification runs
  std::map<std::string, std::string> verify_programs;  // where PATH found what they run
  std::string protected_digest;                        // of the files of --protect
  std::map<std::string, std::string> settings;  // it was started with; defaults and limits left out
  std::string git_digest;                       // of the settings git would run programs by
  std::string aside;  // the loop before it, while its records are still in progress.ndjson
  std::int64_t fresh_from = 0;  // counts of things in a row begin behind so many records
  std::string tree_at_start, commit_at_start;
  std::string branch_at_start;          // in full; "HEAD": detached; empty: not known
  std::optional<UtcTime> files_before;  // files older than that are the user's, by the disk's clock
  std::vector<OwnOutput> outputs;     // files that this loop, or one before it, wrote its output to
  std::vector<std::string> left_out;  // paths in the repository that no commit of the loop takes in
  std::vector<std::string> moved;     // paths to which files of the start were moved
  std::optional<Current> current;
  std::optional<UtcTime> waiting_until;
  std::string waiting_for;                     // "rate limit reached"
  std::vector<std::string> verify;             // the commands, as people know them
  std::optional<StopReason> end;               // nullopt: not over
  std::string end_why;                         // one sentence
  std::vector<std::string> findings;           // of the report: what to look at
  std::map<std::string, double> earlier_days;  // what loops before this one cost, by UTC day
  Millis ran{0};                               // when this was written, all starts together
  Millis waited{0};                            // of that: for rate limits, outages and the next try
  Millis would_wait{0};  // the wait that did not fit into the time limit, which ended the loop
  std::optional<std::int64_t> max_iterations;  // for ralph status
  std::optional<double> max_cost_usd, max_cost_per_day_usd;
  Millis max_time{0};  // 0: none
  bool operator==(const LoopState&) const = default;
};

/// What the records of one loop add up to.
struct LoopTotals {
  std::int64_t iterations = 0;  // finished
  std::int64_t failures_in_a_row = 0;
  std::int64_t refused_in_a_row = 0;      // DONEs
  std::int64_t idle_in_a_row = 0;         // no file changed, and the same words
  double cost_usd = 0;                    // that is known
  std::int64_t priced = 0, unpriced = 0;  // runs whose cost is known, and is not
  stream::Tokens tokens;
  TimeSplit time;
  std::int64_t verifications = 0;
  Millis verifying{0};
  std::int64_t tool_calls = 0;
  bool changed = false;                // any file, since the start
  std::map<std::string, double> days;  // of this loop, by UTC day

  /// nullopt: the agent reports no cost.
  std::optional<double> cost() const {
    return unpriced > 0 && priced == 0 ? std::nullopt : std::optional(cost_usd);
  }
};
/// What happens in a row is counted behind the first `fresh_from` records.
LoopTotals add_up(const std::vector<LoopRecord>& records, std::int64_t fresh_from = 0);

/// Below refs/ralph/: the files that a loop with --commit leaves out, as they were at its start.
std::string inputs_ref(std::string_view loop_id);

/// "2026-11-15".
std::string day_of(UtcTime time);
/// What all loops of the workspace cost, by day: the newest days.
std::map<std::string, double> merge_days(std::map<std::string, double> days,
                                         const std::map<std::string, double>& more);

/// The user's changes that --stash put aside: their message in git's list, and where they are kept below refs/ralph/.
std::string stash_message(std::string_view loop_id);
std::string stash_name(std::string_view loop_id);

}  // namespace ralph::store
