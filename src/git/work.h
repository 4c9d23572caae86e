#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "git/program.h"
#include "git/settings.h"

namespace ralph::git {

/// One file of a difference.
struct FileChange {
  char kind = 'M';  // A, M, D, T
  std::string path;
  std::int64_t added = 0, removed = 0;  // lines; -1: not text
  bool operator==(const FileChange&) const = default;
};

/// A repository somebody works in, through the `git` program. Hooks, file watchers and the signing of commits are off, the
/// network is never used, nothing is ever pushed; the user's index is never changed but by commit(), reset_to() and
/// stash(). `.ralph/` never takes part, nor does a repository inside of this one; a submodule is the commit it stands at.
class Work {
 public:
  /// nullopt: `folder` lies in no repository, or `git` is not installed (`why_not` says which).
  static Result<std::optional<Work>> open(const std::filesystem::path& folder,
                                          std::string& why_not);

  /// The id of a tree that is exactly what the folder holds now: tracked and untracked files, ignored ones left out.
  Result<std::string> tree() const;
  /// Empty: there is no commit yet.
  Result<std::string> head() const;
  /// The first parent of a commit; empty: it has none.
  Result<std::string> parent(std::string_view commit) const;
  /// What HEAD has beyond a commit, the newest first. Code::usage: HEAD does not come from there.
  Result<std::vector<std::string>> commits_since(std::string_view commit) const;
  /// Paths with changes that are not committed, untracked files among them.
  Result<std::vector<std::string>> dirty() const;
  /// Between two trees or commits; renames are an A and a D.
  Result<std::vector<FileChange>> changes(std::string_view from, std::string_view to) const;
  /// For people; without colour; a very long one is cut.
  Result<std::string> diff(std::string_view from, std::string_view to) const;

  /// Commits all that dirty() names, by the user's name (or ralph's, where none is set). Empty: nothing was changed.
  /// Code::busy: a merge, a rebase or the like is not finished, or paths are in conflict.
  Result<std::string> commit(std::string_view message) const;
  /// Puts what the folder holds now aside as a stash of this name. False: there was nothing. Code::busy as above.
  Result<bool> stash(std::string_view message) const;
  /// The branch, the index and the folder are as they were at `commit`; files that were not tracked then are removed,
  /// ignored ones stay. What was there before is kept as a commit under refs/ralph/`keep_as`, which must be a new
  /// name; it is HEAD itself where nothing was uncommitted. A merge that is not finished is given up.
  Result<> reset_to(std::string_view commit, std::string_view keep_as) const;
  /// Whether the settings git would run programs by are what they were when this was opened.
  Result<> check_settings() const;

  const std::filesystem::path& root() const { return git_.root(); }

 private:
  Work(Program git, Settings settings) : git_(std::move(git)), settings_(std::move(settings)) {}
  Result<> refuse_unfinished() const;
  Result<> put_back(const std::string& commit) const;
  Result<std::string> make_commit(const std::string& tree, const std::vector<std::string>& parents,
                                  std::string_view message) const;

  Program git_;
  Settings settings_;
};

}  // namespace ralph::git
