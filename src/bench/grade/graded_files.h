#pragma once
#include <map>
#include <string>
#include <vector>

#include "bench/grade/grader.h"
#include "core/base/result.h"
#include "system/git/path_glob.h"

namespace ralph::grade {

/// What `git ls-tree` prints of each path: "100644 blob ID".
using Entries = std::map<std::string, std::string>;
bool is_link(std::string_view entry);

/// The files that graded code is run with: the agent's, but protected ones as they were before the agent.
struct GradedFiles {
  std::string entries;  // for run::CleanClone
  std::vector<std::string>
      changed;   // protected paths that the agent changed, added or removed; sorted
  Entries kept;  // protected files of the base; without ignored ones, which builds may change
};
/// A new version of a file that is too long to be compared line by line: git needs 45 bytes for each line. Empty: none is.
Result<std::string> file_too_long_to_diff(const Comparison& comparison, const std::string& base);

/// What a protected link leads to inside of the repository is protected too. `never`: a path that neither the agent nor
/// the base may have, such as a report that the command writes; empty: none.
Result<GradedFiles> graded_files(const Comparison& comparison, const git::PathGlobs& protect,
                                 const std::string& never);

}  // namespace ralph::grade
