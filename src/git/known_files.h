#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <sys/stat.h>

#include "git/index_file.h"

namespace ralph::git {

/// Tracked files whose bytes ralph itself read and hashed: where that is the id in the index, git need not read them again.
/// Kept in memory only; nothing in it comes from git's index or from any other file that an agent can write.
/// A file counts as unchanged when lstat says of it what it said before: every write sets its ctime, which no program
/// can set back. What that rests on is checked:
/// - its ctime is two seconds older than the look: a later write has another one, also in git's whole seconds;
/// - nobody had it open for writing then: the kernel sets no times for a write to a page that is mapped already;
/// - it is on the disk of the git folder, whose file system is known to keep ctime and leases like that.
/// It is assumed that nobody sets the clock back or writes to the disk below the file system, as root can.
class KnownFiles {
 public:
  /// A disk, and the time by its own clock.
  struct Disk {
    dev_t device;
    std::int64_t now;  // seconds
    /// That of a file or folder just made. nullopt: its file system is not one of those.
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
