#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "system/git/ignore_rules.h"
#include "system/git/path_glob.h"

namespace ralph::git {

/// Which files of a directory count.
struct FileChoice {
  IgnoreRules rules = {};
  std::set<std::string> known = {};  // count although a rule ignores them
  PathGlobs always = {};             // so do these
  std::size_t most_files = 4'000'000;
  std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();
};

/// The files of a directory, found without git: no `.git`, no `.gitignore` and no link in it has a say.
struct AllFiles {
  std::vector<std::string> paths;  // regular files and links, relative, sorted
  std::uint64_t bytes = 0;         // their length; of sparse files too
  /// What git cannot store: named pipes, sockets, devices, unreadable files, everything in a `.git` below the root.
  std::vector<std::string> left_out;
};
/// Code::limit: there are too many, or they are too large.
Result<AllFiles> list_all_files(const std::filesystem::path& root, const FileChoice& choice);

/// The rules of every `.gitignore` that a directory has now, but for those in ignored directories.
Result<IgnoreRules> read_ignore_rules(const std::filesystem::path& root);

}  // namespace ralph::git
