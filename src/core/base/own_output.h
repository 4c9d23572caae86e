#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace ralph {

/// A regular file that this process writes its own output to: what stdout, stderr or the debug log were redirected to.
/// Such a file may lie in the folder an agent works in, and grows whatever the agent does.
struct OwnOutput {
  std::filesystem::path path;  // absolute, without links
  dev_t device = 0;
  ino_t inode = 0;
  /// Whether the path still leads to that file: a file put in its place is not our output.
  bool is_there() const;
  bool operator==(const OwnOutput&) const = default;
};

/// Pipes, terminals and devices are left out, and files that have no name any more.
std::vector<OwnOutput> own_outputs();
/// And those of an earlier process that are still there.
std::vector<OwnOutput> own_outputs_and(const std::vector<OwnOutput>& earlier);

/// Their paths relative to a folder; what lies elsewhere, or was replaced, is left out.
std::set<std::string> names_below(const std::filesystem::path& folder,
                                  const std::vector<OwnOutput>& outputs);

}  // namespace ralph
