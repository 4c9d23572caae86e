#pragma once
#include <optional>
#include <string_view>

#include "harness/stream/outcome.h"

namespace ralph::store {

/// Why a loop is over.
enum class StopReason {
  done,
  unchanged,  // DONE, but no file was ever changed
  refused,    // verification refused DONE too often
  iterations,
  time,
  cost,
  cost_per_day,
  failures,
  no_progress,
  stopped,        // the user asked for it
  tampered,       // the commands of verification or the repository were changed
  cannot_verify,  // a program of verification is not installed
  not_committed,  // DONE counts, but is not on the branch
  agent,          // the agent cannot work here: its key, its installation, its settings
  storage,        // state, records or logs cannot be written or read
  undone,         // over, then 'ralph undo' took iterations back
  restored,       // over, then 'ralph undo --restore' brought iterations back
  unknown,        // written by another version of ralph
};
struct StopReasonRow {
  StopReason reason;
  std::string_view name;     // in files
  stream::Outcome outcome;   // exit code, unless the LoopStop names another outcome
  std::string_view meaning;  // "iteration limit reached"
  std::string_view hint;     // what to do, beside resuming
};
const StopReasonRow& row(StopReason reason);
/// The `why` of such an end is shown without the meaning.
bool why_is_complete(StopReason reason);
/// nullopt: the name is empty, the loop is not over.
std::optional<StopReason> stop_reason_named(std::string_view name);

}  // namespace ralph::store
