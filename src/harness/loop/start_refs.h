#pragma once
#include <string_view>

#include "harness/loop/loop_reporter.h"
#include "system/git/worktree.h"

namespace ralph::loop {

/// Keeps the branches, tags and stashes of a loop's start. A loop can work without: a failure is a warning.
void keep_start_refs(const git::Worktree& git, std::string_view loop_id, LoopReporter& reporter);

/// At the end: warns of those that were deleted or moved, each with the command that brings it back.
void report_lost_refs(const git::Worktree& git, std::string_view loop_id, LoopReporter& reporter);

}  // namespace ralph::loop
