#pragma once
#include "harness/loop/loop_context.h"
#include "harness/loop/worker.h"

namespace ralph::loop {

/// Finishes the step that the last ralph was killed in, or left in its middle.
class Recovery {
 public:
  Recovery(LoopContext& loop, Worker& worker) : loop_(loop), worker_(worker) {}

  MaybeStop recover();

 private:
  MaybeStop finish_rollback(const Current& current, const RunOutcome& outcome);
  void record_unfinished(const Current& current, const RunOutcome& outcome, bool answered);

  LoopContext& loop_;
  Worker& worker_;
};

}  // namespace ralph::loop
