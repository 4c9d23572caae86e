#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/loop_snapshot.h"
#include "cli/std_output.h"
#include "harness/loop/state.h"

namespace ralph::cli {

// What `ralph status` says of a loop, in words and as JSON.

/// Since a time of the state file, which an agent can write: never less than nothing.
Millis since(UtcTime time);

/// What it had run when the state was written, and what has passed since: of one that was killed, until the last that
/// its run recorded.
Millis elapsed(const LoopSnapshot& snapshot, const std::optional<RunSnapshot>& run);

/// The newest step of the worker; null: there is none.
const loop::Record* last_worker_step(const std::vector<loop::Record>& records);

/// What the loop is doing right now; empty: it does not run.
std::string activity_text(const LoopSnapshot& snapshot, const std::optional<RunSnapshot>& run);

/// The iteration whose DONE ended the loop, by the record that no agent can write.
std::optional<loop::Record> final_done(const LoopSnapshot& snapshot);

/// Why an ended loop ended, in the words of its report.
std::string why_ended(const LoopSnapshot& snapshot);

/// The running iteration included.
std::optional<double> cost_now(const LoopSnapshot& snapshot, const loop::Totals& totals,
                               const std::optional<RunSnapshot>& run);

/// What 'ralph tell' left: in the prompt of the iteration that runs, and for a later one.
struct Messages {
  std::int64_t given = 0, waiting = 0;
};

Messages messages_of(const LoopSnapshot& snapshot, StdOutput& output);

/// The command that goes on with a loop that is over, from this folder; empty: there is nothing to go on with.
std::string resume_text(const LoopSnapshot& snapshot, const loop::Totals& totals);

/// The raw log of the run that goes on, or was killed, or else of the last one, as it can be opened from the current
/// folder; empty: not known.
std::string log_path(const LoopSnapshot& snapshot, const std::optional<RunSnapshot>& run);

/// Where --stash left the user's changes: "stash@{0}"; empty: nowhere.
std::string stash_of(const LoopSnapshot& snapshot);

}  // namespace ralph::cli
