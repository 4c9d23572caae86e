#pragma once
#include <string>

#include "harness/loop/runner.h"
#include "harness/loop/setup.h"
#include "harness/store/workspace.h"

namespace ralph::loop {

/// What is known of a run whose ralph was killed.
struct InterruptedRun {
  RunOutcome outcome;
  std::string warning;  // what may be missing; empty: nothing
};

/// Reads it from its journal, and from the raw log where that has more: output reaches the log first. Code::storage:
/// what it cost cannot be known, which must not count as nothing unnoticed; with --accept-changes a warning.
Result<InterruptedRun> read_interrupted_run(const Setup& setup, const store::Workspace& workspace,
                                            const std::string& run_id);

}  // namespace ralph::loop
