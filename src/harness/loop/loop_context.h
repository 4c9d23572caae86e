#pragma once
#include "core/base/mask.h"
#include "harness/loop/clock.h"
#include "harness/loop/control.h"
#include "harness/loop/done_verifier.h"
#include "harness/loop/goal_tracker.h"
#include "harness/loop/loop_budget.h"
#include "harness/loop/loop_reporter.h"
#include "harness/loop/repository.h"
#include "harness/loop/runner.h"
#include "harness/loop/setup.h"
#include "harness/loop/state_keeper.h"
#include "harness/loop/waiter.h"
#include "harness/store/guidance.h"

namespace ralph::loop {

/// The parts of a loop that its steps share.
struct LoopContext {
  const Setup& setup;
  StateKeeper& keeper;
  LoopReporter& reporter;
  Runner& runner;
  Repository& repository;
  DoneVerifier& verifier;
  const LoopBudget& budget;
  Waiter& waiter;
  GoalTracker& goal;
  const store::Guidance& guidance;
  Control& control;
  const Clock& clock;
  const Masker& masker;
};

}  // namespace ralph::loop
