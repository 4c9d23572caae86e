#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <sys/stat.h>

#include "system/git/index_file.h"

namespace ralph::git {

/// Tracked files that ralph itself has read and hashed. Where the hash matches the id in the index, git need not read the
/// file again. Lives in memory only: nothing in it comes from git's index or any other file that an agent can write.
/// A file is unchanged if lstat reports the same as before: every write updates its ctime, which no program can set back.
/// This holds only under conditions that are checked:
/// - its ctime was at least two seconds old when it was read, so a later write changes it even in git's whole seconds;
/// - no process had it open for writing at that time, because a write to a page that is already mapped updates no timestamp;
/// - it is on the same device as the git directory, on a file system known to maintain ctime and leases this way.
/// Assumes that no one sets the clock back or writes to the device below the file system, as root can.
class KnownFiles {
 public:
  /// A disk, and the time by its own clock.
  struct Disk {
    dev_t device;
    std::int64_t now;  // seconds
    /// That of a file or directory just made. nullopt: its file system is not one of those.
    static std::optional<Disk> of(int fresh);
  };
  /// Looks at the files of these entries. Each result is for index_bytes(): the file's state where it is known to hold
  /// what the entry names. nullopt for a disk: nothing is known.
  std::vector<std::optional<struct stat>> look(const std::filesystem::path& root,
                                               const std::vector<IndexEntry>& entries,
                                               std::optional<Disk> disk);
  /// How many files were read so far.
  std::size_t reads() const { return reads_; }

 private:
  struct Known {
    std::string id;  // of the bytes that were read
    struct stat info;
  };
  std::optional<Known> look_at(int root, const IndexEntry& entry, const Disk& disk);

  std::unordered_map<std::string, Known> files_;
  std::size_t reads_ = 0;
  std::int64_t may_read_ = 0;  // bytes, in one look
};

}  // namespace ralph::git
