#pragma once
#include <optional>
#include <vector>

#include "harness/loop/agent_runner.h"
#include "harness/loop/loop.h"
#include "harness/loop/loop_context.h"
#include "harness/loop/loop_repository.h"
#include "harness/loop/ralph_folder.h"
#include "harness/loop/settings_guard.h"
#include "harness/loop/user_files.h"
#include "harness/loop/workspace_verifier.h"

namespace ralph::loop {

/// A loop that was replaced by a new one.
struct ReplacedLoop {
  store::LoopState state;
  std::vector<store::LoopRecord> records;
};

/// How a loop that is resumed had ended.
struct PastEnd {
  store::StopReason reason;
  UtcTime at;
  Millis ran;
  std::size_t records;  // how many there were
};

/// Owns the parts of a loop; what each is given outlives it.
struct LoopParts {
  LoopParts(Setup setup_, store::LoopObserver& observer, Control& control_, const Masker& masker_,
            Clock& clock_, RalphFolder folder_);

  LoopContext context() {
    return {setup,  keeper, reporter, runner,  repository, verifier, budget,
            waiter, goal,   guidance, control, clock,      masker};
  }

  Setup setup;
  Control& control;
  const Masker& masker;
  Clock& clock;
  LoopReporter reporter;
  RalphFolder folder;
  SettingsGuard settings;
  StateKeeper keeper;
  store::Guidance guidance;
  LoopRepository repository;
  UserFiles user_files;
  WorkspaceVerifier verifier;
  LoopBudget budget;
  Waiter waiter;
  GoalTracker goal;
  AgentRunner runner;

  // What the start found out.
  Loop::Before before = Loop::Before::not_over;
  bool changed_since_done = false;  // files, since the loop that is resumed was done
  std::optional<PastEnd> past_end;
  std::optional<ReplacedLoop> replaced;  // the loop before, if it has_work()
};

}  // namespace ralph::loop
