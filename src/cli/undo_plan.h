#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "harness/store/loop_state.h"
#include "system/git/worktree.h"

namespace ralph::cli {

/// What one iteration did to the branch.
struct UndoStep {
  std::string before, after;  // commits; `before` may be empty: not known
  std::int64_t iteration = 0;
};

/// The loop of this directory, and what it committed.
struct UndoPast {
  store::LoopState state;
  std::vector<UndoStep> steps;  // the oldest first
  std::int64_t iterations = 0;
  std::vector<std::int64_t> taken_back;  // iterations, by an undo before
  bool trusted = false;                  // as ralph recorded it outside of the workspace
  std::string done_tree = {};            // the files when the loop was done; empty: it was not
};

/// What is to be done, and then what was.
struct Undo {
  std::string from, to;  // commits
  std::string branch;    // that HEAD will be on, in full; empty: detached
  std::int64_t commits = 0;
  std::int64_t others = 0;            // among them, made between the iterations
  bool other_branch = false;          // HEAD is not on `branch` now
  std::string kept;                   // the ref
  std::vector<std::string> replaced;  // files that are there only
  std::string stashed;  // "stash@{0}": --stash put the user's changes aside, and there they are
};

/// The last iteration. The branch must stand where an iteration left it.
Result<Undo> plan_last(const git::Worktree& work, const UndoPast& past);

/// Branch and HEAD as they were when the loop began, wherever the agent went. Commits of others, on the branch or where
/// HEAD is, are refused unless they are included.
Result<Undo> plan_all(const git::Worktree& work, const UndoPast& past, bool include_others);

/// Iterations whose last commit does not lead to HEAD: taken back, or replaced by a later iteration.
Result<std::set<std::int64_t>> not_in_head(const git::Worktree& work, const UndoPast& past);

}  // namespace ralph::cli
