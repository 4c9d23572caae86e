#pragma once
#include <optional>
#include <vector>

#include "harness/loop/interrupted_run.h"
#include "harness/loop/loop_context.h"
#include "harness/loop/worker.h"

namespace ralph::loop {

/// Finishes the step that the last ralph was killed in, or left in its middle.
class Recovery {
 public:
  Recovery(LoopContext& loop, Worker& worker) : loop_(loop), worker_(worker) {}

  /// The records, with what is known of that step's run; its time counts from now on, its cost with the record that
  /// recover() makes.
  std::vector<store::LoopRecord> records_and_interrupted();
  MaybeStop recover();

 private:
  bool is_recorded() const;
  void read();
  MaybeStop finish_rollback(const store::Current& current, const RunOutcome& outcome);
  void record_unfinished(const store::Current& current, const RunOutcome& outcome, bool answered);

  LoopContext& loop_;
  Worker& worker_;
  std::optional<Result<InterruptedRun>> interrupted_;
};

}  // namespace ralph::loop
