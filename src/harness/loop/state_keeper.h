#pragma once
#include <optional>
#include <vector>

#include "harness/loop/clock.h"
#include "harness/loop/loop_reporter.h"
#include "harness/loop/ralph_folder.h"
#include "harness/loop/setup.h"
#include "harness/store/budget.h"
#include "harness/store/loop_state_store.h"

namespace ralph::loop {

/// State and records of one loop, in memory and on the disk.
class StateKeeper {
 public:
  /// All of them outlive it.
  StateKeeper(const Setup& setup, RalphFolder& folder, LoopReporter& reporter, const Clock& clock);

  /// What the loop is and is doing; a change is on the disk after save().
  store::LoopState state;

  Result<> save();
  /// A step is over: its record is on the disk when this returns.
  Result<> append(store::LoopRecord record);
  /// After RalphFolder::repair().
  Result<bool> repair();

  const std::vector<store::LoopRecord>& records() const { return records_; }
  void set_records(std::vector<store::LoopRecord> records);
  /// state.fresh_from is another one.
  void count_again() { totals_ = store::add_up(records_, state.fresh_from); }
  /// In a row is counted from state.fresh_from on.
  const store::LoopTotals& totals() const { return totals_; }
  /// When this start began.
  UtcTime began_at() const { return began_at_; }
  /// All starts of this loop together.
  Millis elapsed() const;
  void set_ran_before(Millis ran) { ran_before_ = ran; }
  void add_ran_before(Millis more) { ran_before_ += more; }

  /// A step could not be recorded: the loop must end.
  const std::optional<Error>& storage_error() const { return storage_error_; }
  /// The first one counts.
  void set_storage_error(const Error& error) {
    if (!storage_error_) storage_error_ = error;
  }

  const store::LoopStateStore& store() const { return store_; }
  store::LoopStateStore& store() { return store_; }
  const store::LoopStateFiles& files() const { return store_.files(); }
  const store::Workspace& workspace() const { return folder_.workspace(); }

 private:
  Result<> save_budget();

  RalphFolder& folder_;
  LoopReporter& reporter_;
  const Clock& clock_;
  const UtcTime began_at_;  // read before began_: elapsed() is not longer than from here to the end
  const SteadyTime began_;
  store::LoopStateStore store_;
  Millis ran_before_{0};
  std::vector<store::LoopRecord> records_;
  store::LoopTotals totals_;
  std::optional<store::Budget> saved_budget_;
  std::optional<Error> storage_error_;
};

}  // namespace ralph::loop
