#pragma once
#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "system/git/program.h"

namespace ralph::trial {

/// A git directory of ours beside a worktree that an agent changes: it records the files at any moment without using the
/// worktree's own `.git`, which the agent may have changed. Attributes of the worktree have no effect on it.
class SnapshotStore {
 public:
  /// Makes the git directory `folder`, unless it exists.
  static Result<SnapshotStore> open(git::Program git, const std::filesystem::path& worktree,
                                    const std::filesystem::path& folder);

  /// The tree of all files that are not ignored.
  Result<std::string> take() const;
  const git::Program& git() const { return git_; }

 private:
  explicit SnapshotStore(git::Program git) : git_(std::move(git)) {}
  git::Program git_;
};

}  // namespace ralph::trial
