#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "harness/loop/verifier.h"
#include "system/git/worktree.h"
#include "system/process/command.h"

namespace ralph::loop {

/// A repository of its own, outside of the workspace, that holds the commit of the loop's start as HEAD and a tree as
/// its files: nothing in it comes from the agent's `.git`, from ignored files or from another process. Removed with
/// this object.
class CleanClone {
 public:
  struct Source {
    const git::Worktree& work;
    std::filesystem::path workspace;  // the repository's root, or a directory in it
    std::filesystem::path root;       // of both, the one that holds `.ralph`
    std::string commit;               // empty: there was none
    std::string tree;                 // of the whole repository
  };
  static Result<CleanClone> make(const Source& source);
  CleanClone(CleanClone&& other) noexcept;
  CleanClone& operator=(CleanClone&&) = delete;
  ~CleanClone();

  /// How verification runs in it: a HOME of its own, the system's PATH, of ralph's environment only the language and
  /// what `own_env` sets. With `bwrap` (its path; empty: without) no network, and neither the home nor the workspace.
  Verifier::Mode mode(const std::vector<process::EnvChange>& own_env,
                      const std::string& bwrap) const;

 private:
  explicit CleanClone(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<> fill(const Source& source);

  std::filesystem::path folder_;                    // holds "repository", "home" and "tmp"
  std::filesystem::path workspace_, there_, root_;  // root_: where its `.ralph` is
};

/// The path of a bubblewrap that works here. An error says why none does.
Result<std::string> find_bubblewrap();

}  // namespace ralph::loop
