#pragma once
#include <string>

#include "core/base/mask.h"
#include "harness/loop/loop_reporter.h"
#include "harness/loop/setup.h"
#include "harness/store/loop_state.h"

namespace ralph::loop {

/// Follows edits of the goal file while a loop works. Between two runs they are the user's and change the goal; during
/// one they may be the agent's.
class GoalTracker {
 public:
  /// All of them outlive it; `state` is that of the loop.
  GoalTracker(const Setup& setup, store::LoopState& state, LoopReporter& reporter,
              const Masker& masker)
      : setup_(setup), state_(state), reporter_(reporter), masker_(masker) {}

  /// Call before a run.
  void use_edit();
  /// Call after a run, and after what was run for it. In a sandbox that protects the file, a change is left to
  /// use_edit().
  void check_after_run();

  /// For the next record: the goal is another one; empty: it is not.
  std::string note;

 private:
  const Setup& setup_;
  store::LoopState& state_;
  LoopReporter& reporter_;
  const Masker& masker_;
  bool protected_ = false;  // the agent cannot write the file
};

}  // namespace ralph::loop
