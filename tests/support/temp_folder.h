#pragma once
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/id.h"

namespace ralph::test {

/// Where files are kept in memory, if there is such a place: waiting for a disk takes most of the time of many tests.
inline std::filesystem::path memory_folder() {
  const std::filesystem::path memory = "/dev/shm";
  const bool usable = ::access(memory.c_str(), R_OK | W_OK | X_OK) == 0;
  return usable ? memory : std::filesystem::temp_directory_path();
}

/// A folder of its own, removed at the end.
class TempFolder {
 public:
  explicit TempFolder(const std::filesystem::path& parent = std::filesystem::temp_directory_path())
      : path_(parent / ("ralph-test-" + random_hex(8))) {
    std::filesystem::create_directories(path_);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  std::filesystem::path write(std::string_view name, std::string_view bytes,
                              mode_t mode = 0600) const {
    const auto path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    ::chmod(path.c_str(), mode);
    return path;
  }

 private:
  std::filesystem::path path_;
};

/// Permission bits; 0: there is nothing.
inline unsigned mode_of(const std::filesystem::path& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & 0777u : 0;
}

/// The file's bytes; empty when there is none.
inline std::string text_of(const std::filesystem::path& path) {
  return read_file(path).value_or("");
}

/// The umask, until the end of the scope.
class Umask {
 public:
  explicit Umask(mode_t mask) : usual_(::umask(mask)) {}
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;
  ~Umask() { ::umask(usual_); }

 private:
  mode_t usual_;
};

}  // namespace ralph::test
