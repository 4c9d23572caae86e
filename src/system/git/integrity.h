#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "system/git/program.h"

namespace ralph::git {

/// The parts of a repository by which changes could be hidden from git, as they were at one moment: flags of the index
/// (assume-unchanged, skip-worktree), `info/exclude`, `info/sparse-checkout`, alternates, the user's own settings that
/// name ignored files or filters, and the kind of file that `.git`, HEAD, the index and the object directory are.
class Integrity {
 public:
  /// `git` is pinned to the repository.
  static Result<Integrity> read(const Program& git);

  /// Undoes flags and exclude entries that appeared since; each line of the result says what was found. Code::permission:
  /// the repository is not the one it was, or cannot be read; the message says why.
  Result<std::vector<std::string>> restore(const Program& git) const;
  /// To compare with another day.
  std::string digest() const;

 private:
  /// A file that only ralph's user should change.
  struct File {
    std::filesystem::path path;
    std::string bytes;
    bool exists = false;
    bool operator==(const File&) const = default;
  };
  struct Place {
    std::filesystem::path path;
    unsigned kind = 0;  // S_IFMT; 0: missing
    std::string inode;  // of directories, which are never replaced
    bool may_appear = false;
  };
  static Place look_at(const std::filesystem::path& path, bool may_appear);
  static File read_file_at(const std::filesystem::path& path);
  Result<> check_places() const;
  Result<> restore_flags(const Program& git, std::vector<std::string>& found) const;
  Result<> restore_files(std::vector<std::string>& found) const;

  std::vector<Place> places_;
  std::vector<File> restored_;   // put back when they were changed
  std::vector<File> fixed_;      // a change is reported as tampering
  std::set<std::string> flags_;  // "S path", "h path"
  std::string settings_;         // the user's, as far as they matter
  std::filesystem::path replace_folder_;
  bool replaced_ = false;            // it was there
  mutable std::string index_stamp_;  // of the index whose flags were good
};

}  // namespace ralph::git
