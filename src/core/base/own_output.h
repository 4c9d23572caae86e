#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace ralph {

/// A regular file that this process writes its own output to: what stdout, stderr or the debug log were redirected to.
/// Such a file may be in the agent's workspace and grows independently of the agent.
struct OwnOutput {
  std::filesystem::path path;  // absolute, without links
  dev_t device = 0;
  ino_t inode = 0;
  /// Whether the path is still that file and was not replaced.
  bool is_there() const;
  bool operator==(const OwnOutput&) const = default;
};

/// Without pipes, terminals, devices and deleted files.
std::vector<OwnOutput> own_outputs();
/// With those of an earlier process that still exist.
std::vector<OwnOutput> own_outputs_and(const std::vector<OwnOutput>& earlier);

/// Their paths relative to a directory, without those outside it or replaced.
std::set<std::string> names_below(const std::filesystem::path& folder,
                                  const std::vector<OwnOutput>& outputs);

}  // namespace ralph
