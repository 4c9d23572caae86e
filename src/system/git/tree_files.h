#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "system/git/program.h"

namespace ralph::git {

/// One file that two trees have in different versions.
struct TreeDifference {
  std::string path;
  unsigned old_mode = 0;  // as git writes it: 0100644, 0100755, 0120000 …; 0: missing
  std::string old_id;
};
/// Between two trees or commits, without renames.
Result<std::vector<TreeDifference>> tree_differences(const Program& git, std::string_view from,
                                                     std::string_view to);

/// The bytes of a blob as git keeps them: no filter, no change of line ends.
Result<std::string> read_blob(const Program& git, const std::string& id);

/// Which of these paths a tree has.
Result<std::set<std::string>> paths_in_tree(const Program& git, const std::string& tree,
                                            const std::vector<std::string>& paths);

/// Those of `paths`, relative to `folder`, that git ignores and does not track.
Result<std::vector<std::string>> ignored_files(const Program& git,
                                               const std::filesystem::path& folder,
                                               const std::vector<std::string>& paths);

}  // namespace ralph::git
