#pragma once
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/own_output.h"
#include "core/base/time.h"

namespace ralph::git {

/// Files of a worktree that are not the agent's work: nothing takes them into a tree, a commit or a stash, and no reset
/// touches them.
struct LeftAlone {
  std::optional<UtcTime> before;    // untracked files born before that; none: nothing by age
  std::set<std::uint64_t> tracked;  // inodes of files that are as old, and were tracked then
  std::set<std::string> moved;      // paths to which such files were moved
  std::set<std::string> paths;      // below the root, tracked or not
  std::vector<OwnOutput> outputs;   // of this process
  std::vector<std::string> own;     // files and directories of ralph and of agents, below the root

  /// The paths, and those of outputs that lie below `root`.
  std::set<std::string> names(const std::filesystem::path& root) const {
    auto all = names_below(root, outputs);
    all.insert(paths.begin(), paths.end());
    return all;
  }
  bool is_own(const std::string& path) const {
    return std::ranges::any_of(own, [&](const std::string& top) {
      return path.starts_with(top) && (path.size() == top.size() || path[top.size()] == '/');
    });
  }
};

}  // namespace ralph::git
