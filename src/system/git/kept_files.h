#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "system/git/worktree.h"

namespace ralph::git {

/// How kept files differ from the files in the worktree.
struct KeptFiles {
  std::vector<std::string> missing, changed;
  std::vector<std::string> all;
  bool has_earlier = false;  // the commit has a parent with earlier versions
};

/// Records the files at these paths in a commit under refs/ralph/`keep_as`. If that ref exists, the new commit is its child
/// and has its versions of missing files.
Result<> keep_files(const Worktree& worktree, const std::vector<std::string>& paths,
                    std::string_view keep_as);
/// The recorded files that differ now; none without such a ref.
Result<KeptFiles> compare_kept_files(const Worktree& worktree, std::string_view kept_as);
/// Writes the missing ones again, and those of left_out_paths() that `commit` has; returns their paths. Replaces nothing.
Result<std::vector<std::string>> put_back_missing(const Worktree& worktree,
                                                  std::string_view kept_as,
                                                  const std::string& commit);
/// Files and directories that git ignores now and that were created since then.
Result<std::vector<std::string>> new_ignored(const Worktree& worktree, UtcTime since);

}  // namespace ralph::git
