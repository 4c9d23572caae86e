#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace ralph::run {

/// Detects (inotify) every write to files while it exists, even one that was reverted, and also when another file gets
/// the name or a directory of the path is replaced, those above `root` too where they can be read.
class FileWatch {
 public:
  /// Paths relative to `root`. Of a file that does not exist only the name is watched.
  /// Code::unavailable: the system has no watches left.
  static Result<FileWatch> on(const std::filesystem::path& root,
                              const std::vector<std::string>& files);
  /// Those that were written to, moved, removed or replaced; `root` if that was.
  std::vector<std::string> changed();

 private:
  void add_place(const std::filesystem::path& root);
  Result<> add_folders(const std::filesystem::path& root, const std::string& file);

  UniqueFd fd_;
  std::map<int, std::string> names_;
  struct Folder {
    std::map<std::string, std::string, std::less<>> entries;  // by name: the file they matter to
  };
  std::map<int, Folder> folders_;
};

}  // namespace ralph::run
