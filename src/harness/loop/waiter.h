#pragma once
#include <random>
#include <string>
#include <string_view>

#include "harness/loop/control.h"
#include "harness/loop/loop_budget.h"
#include "harness/loop/loop_reporter.h"
#include "harness/loop/loop_stop.h"
#include "harness/loop/runner.h"
#include "harness/loop/state_keeper.h"

namespace ralph::loop {

/// Pauses between two iterations. A pause that the time limit does not allow stops the loop.
class Waiter {
 public:
  /// All of them outlive it.
  Waiter(StateKeeper& keeper, const LoopBudget& budget, LoopReporter& reporter, Control& control,
         Clock& clock)
      : keeper_(keeper), budget_(budget), reporter_(reporter), control_(control), clock_(clock) {}

  MaybeStop wait_for_rate_limit(const stream::Verdict& verdict);
  MaybeStop wait_for_outage(const RunOutcome& outcome);
  /// Keeps an agent that fails at once from being restarted in a tight loop. `first`: after the first failure.
  MaybeStop wait_after_failure(Millis first);
  /// An agent answered: the next pause is a first one.
  void reset() { pauses_ = 0; }

  /// By a signal or by 'ralph stop'.
  MaybeStop stop_request() const;

 private:
  MaybeStop wait(store::WaitReason reason, std::string text, Millis pause);

  StateKeeper& keeper_;
  const LoopBudget& budget_;
  LoopReporter& reporter_;
  Control& control_;
  Clock& clock_;
  int pauses_ = 0;  // in a row
  std::mt19937 random_{std::random_device{}()};
};

}  // namespace ralph::loop
