#pragma once
#include <vector>

#include "harness/loop/loop_reporter.h"
#include "harness/loop/loop_repository.h"
#include "harness/store/loop_report.h"
#include "harness/store/loop_state.h"
#include "system/git/history.h"

namespace ralph::loop {

/// What a person should look at when a loop with git is over: changed tests and build files, files that are in no
/// commit, repositories inside of this one. `files`: the changes since the start; `ralph_folder`: the loop's own
/// `.ralph`.
void report_changed_files(LoopRepository& repository, const store::LoopState& state,
                          const std::vector<store::ChangedFile>& files,
                          const std::filesystem::path& ralph_folder, LoopReporter& reporter);

/// An edit of the goal file that was found after a run, and counts only when the user names the file again. Call it
/// after report_changed_files(), which may have reported it.
void report_unused_goal(const store::LoopState& state, LoopReporter& reporter);

/// HEAD is on another branch than at the start.
void report_branch(const LoopRepository& repository, const store::LoopState& state,
                   LoopReporter& reporter);

}  // namespace ralph::loop
