#pragma once
#include <string>
#include <vector>

#include "core/base/mask.h"
#include "harness/loop/loop_reporter.h"
#include "harness/loop/loop_repository.h"
#include "harness/loop/setup.h"

namespace ralph::loop {

/// The user's own changes, which no commit of a loop takes in.
class UserFiles {
 public:
  /// All of them outlive it.
  UserFiles(const Setup& setup, LoopRepository& repository, LoopReporter& reporter,
            const Masker& masker)
      : setup_(setup), repository_(repository), reporter_(reporter), masker_(masker) {}

  /// With --commit: uncommitted changes are stashed, or the loop does not start. The goal and the settings stay where
  /// they are, and are left out.
  Result<> stash_or_refuse();
  /// The same for a resumed loop, where the files differ from what its last iteration left.
  Result<> check_unchanged(const store::LoopState& state,
                           const std::vector<store::LoopRecord>& records);
  /// Leaves out again what the loop had left out; what was committed since is treated like any other file. Call before
  /// git::Worktree::leave_alone_before(), which hides untracked files.
  Result<> leave_out_again(store::LoopState& state);
  /// An agent may delete or overwrite them. Every start adds a version.
  void keep_copies(const store::LoopState& state);
  /// The stash of a loop that then did not work.
  void bring_back_stash();

 private:
  Result<> leave_out_inputs(std::vector<std::string>& dirty);
  bool may_hold_secrets(const std::string& path) const;

  const Setup& setup_;
  LoopRepository& repository_;
  LoopReporter& reporter_;
  const Masker& masker_;
  bool stashed_ = false;  // by this loop
};

}  // namespace ralph::loop
