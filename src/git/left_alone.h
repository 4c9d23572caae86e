#pragma once
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/own_output.h"
#include "base/time.h"

namespace ralph::git {

/// Files of a worktree that are not the agent's work: nothing takes them into a tree, a commit or a stash, and no reset
/// touches them.
struct LeftAlone {
  std::optional<UtcTime> before;   // untracked files born before that; none: nothing by age
  std::set<std::string> paths;     // below the root, tracked or not
  std::vector<OwnOutput> outputs;  // of this process
  std::string folder;  // ralph's state folder below the root, ending in "/"; empty: it is elsewhere

  /// The paths, and those of outputs that lie below `root`.
  std::set<std::string> names(const std::filesystem::path& root) const {
    auto all = names_below(root, outputs);
    all.insert(paths.begin(), paths.end());
    return all;
  }
  bool in_folder(const std::string& path) const {
    return !folder.empty() && path.starts_with(folder);
  }
};

}  // namespace ralph::git
