#pragma once
#include <filesystem>
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
};

/// The files of a directory, found without git: no `.git`, no `.gitignore` and no link in it has a say.
struct AllFiles {
  std::vector<std::string> paths;  // regular files and links, relative, sorted
  /// What git cannot store: named pipes, sockets, devices, unreadable files, everything in a `.git` below the root.
  std::vector<std::string> left_out;
};
/// Code::limit: there are too many.
Result<AllFiles> list_all_files(const std::filesystem::path& root, const FileChoice& choice);

/// The rules of every `.gitignore` that a directory has now, but for those in ignored directories.
Result<IgnoreRules> read_ignore_rules(const std::filesystem::path& root);

}  // namespace ralph::git
