#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "harness/loop/verifier.h"
#include "harness/run/clean_clone.h"
#include "system/git/worktree.h"

namespace ralph::loop {

/// What verification in a clean clone starts from.
struct CloneSource {
  const git::Worktree& work;
  std::filesystem::path workspace;  // the repository's root, or a directory in it
  std::filesystem::path root;       // of both, the one that holds `.ralph`
  std::string commit;               // of the loop's start; empty: there was none
  std::string tree;                 // of the whole repository
};
Result<run::CleanClone> make_clone(const CloneSource& source);

/// Copies `.ralph` into the clone and says how verification runs there. With `bwrap` (its path; empty: without) no
/// network, and neither the home nor the workspace.
Result<Verifier::Mode> mode_in_clone(const run::CleanClone& clone, const CloneSource& source,
                                     const std::vector<process::EnvChange>& own_env,
                                     const std::string& bwrap);

}  // namespace ralph::loop
