#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ralph::loop {

/// Notices (inotify) every write to files while it exists, also one that was taken back since.
class FileWatch {
 public:
  /// Files that do not exist are left out. Code::unavailable: the system has no watches left.
  static Result<FileWatch> on(const std::vector<std::filesystem::path>& files);
  /// Those that were written to, moved, removed or replaced.
  std::vector<std::string> changed();

 private:
  UniqueFd fd_;
  std::map<int, std::string> names_;
};

}  // namespace ralph::loop
