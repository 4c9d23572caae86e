#pragma once
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "system/git/all_files.h"
#include "system/git/program.h"

namespace ralph::trial {

/// A git directory of ours beside a worktree that an agent changes: it records the files at any moment without using the
/// worktree's own `.git`, which the agent may have changed. Neither `.gitignore`, nested repositories and attributes of the
/// worktree nor the user's settings can hide a change or run a program.
class SnapshotStore {
 public:
  /// Makes the git directory `folder`, unless it exists.
  static Result<SnapshotStore> open(git::Program git, const std::filesystem::path& worktree,
                                    const std::filesystem::path& folder);

  /// From now on, what take() ignores is decided by the `.gitignore` files that the worktree has now.
  Result<> fix_ignored();
  /// The same with rules that the caller has read.
  void fix_ignored(git::FileChoice choice) { choice_ = std::move(choice); }
  bool has_ignore_rules() const { return !choice_.rules.empty(); }
  /// These are never ignored.
  void add_tracked(std::set<std::string> paths) { choice_.known.merge(paths); }

  /// The tree of all files that are not ignored. The files of the first one are never ignored later. Code::limit: there are
  /// 100,000 files or 1 GiB more than in the first one.
  Result<std::string> take();
  /// The tree of the ignored files that `globs` match, without what take() has; empty: there are none.
  Result<std::string> take_ignored(const git::PathGlobs& globs) const;
  /// What the last take() left out because git cannot store it.
  const std::vector<std::string>& left_out() const { return left_out_; }
  /// Copies a tree or commit from another directory with git's objects.
  Result<> import(const std::string& id, const std::filesystem::path& objects) const;

  /// Remembers the bytes of this git directory.
  Result<> seal();
  /// Code::permission: something changed them since. An agent can write here, unless it is confined.
  Result<> check_seal() const;

  const git::Program& git() const { return git_; }

 private:
  explicit SnapshotStore(git::Program git) : git_(std::move(git)) {}

  Result<std::string> store(const std::vector<std::string>& paths) const;
  Result<std::string> tree_of(const std::filesystem::path& index) const;

  git::Program git_;
  git::FileChoice choice_;
  bool has_first_ = false;
  std::vector<std::string> left_out_;
  std::map<std::string, std::string> seal_;  // digests by path
  std::uintmax_t largest_sealed_ = 0;        // bytes
};

}  // namespace ralph::trial
