#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ralph::loop {

/// What a path of the workspace holds.
struct FileVersion {
  enum class Kind { missing, file, link, other };
  Kind kind = Kind::missing;
  std::string bytes;  // of a link: where it leads
  mode_t mode = 0;    // permissions of a file
  bool operator==(const FileVersion&) const = default;
};

/// Follows no link, waits for no FIFO. Kind::other: a folder, a device … or a folder of the path is a link.
Result<FileVersion> read_version(const std::filesystem::path& root, const std::string& path);

/// Puts other versions of files into a folder for a while, and then those back that were there. What is put aside is kept
/// in `held`, with a list of it: a ralph that was killed meanwhile is made up for by recover(). Links are never
/// followed; nothing outside of the folder is touched.
class FileSwap {
 public:
  struct Wanted {
    std::string path;  // relative to the folder, without ".."
    FileVersion version;
  };
  /// Only what differs is touched. `held` must be on the same file system.
  static Result<FileSwap> begin(const std::filesystem::path& root,
                                const std::filesystem::path& held,
                                const std::vector<Wanted>& wanted);
  /// Puts back what a killed ralph left in `held`; the paths.
  static Result<std::vector<std::string>> recover(const std::filesystem::path& root,
                                                  const std::filesystem::path& held);
  FileSwap(FileSwap&& other) noexcept = default;
  FileSwap& operator=(FileSwap&&) = delete;
  ~FileSwap();

  /// The paths that differed.
  std::vector<std::string> changed() const;
  /// Whether all wanted versions are still there; a command may have changed their permissions.
  bool intact() const;
  /// Puts the other versions back; after it nothing is held.
  Result<> end();

 private:
  struct Swapped {
    Wanted wanted;
    bool existed = false;  // there was another version, which is held
  };
  FileSwap() = default;
  Result<> write_list() const;
  Result<> swap_in(std::size_t number);
  Result<> swap_out(std::size_t number);

  std::filesystem::path root_path_, held_path_;
  UniqueFd root_, held_;
  std::vector<Swapped> swapped_;
  std::vector<Wanted> same_;  // the others, for intact()
};

}  // namespace ralph::loop
