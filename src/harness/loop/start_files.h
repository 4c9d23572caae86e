#pragma once
#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "harness/loop/file_swap.h"
#include "system/git/path_glob.h"

namespace ralph::loop {

/// The files of --protect as they were at the loop's start, read from the disk: no filter of git, no rule of .gitignore
/// and no object of the repository has a say. Caches that interpreters write by themselves are never part of it.
class StartFiles {
 public:
  StartFiles() = default;
  /// Code::limit: there are too many, or they are too large. A link to a file or directory of the workspace protects
  /// that too.
  static Result<StartFiles> read(const std::filesystem::path& workspace,
                                 const git::PathGlobs& globs);

  bool empty() const { return files_.empty(); }
  std::vector<std::string> paths() const;
  /// Links that lead out of the workspace: what they lead to is not protected.
  const std::vector<std::string>& leading_out() const { return leading_out_; }
  /// Of all paths and versions.
  std::string digest() const;

  /// For a loop that is resumed: the version of the start is another one, Kind::missing for none.
  void put(const std::string& path, FileVersion version);
  bool matches(const std::string& path) const;

  /// What a directory must hold while verification runs there: all of these files, and none that matches beside them.
  /// `optional`: left out where the directory does not have them.
  Result<std::vector<FileSwap::Wanted>> wanted(const std::filesystem::path& folder,
                                               const std::set<std::string>& optional) const;

 private:
  Result<> add(const std::filesystem::path& workspace, const std::string& path);
  Result<> add_target(const std::filesystem::path& workspace, const std::string& link);

  git::PathGlobs globs_;
  std::vector<std::string> folders_;  // that links lead to, with "/" at the end
  std::map<std::string, FileVersion> files_;
  std::vector<std::string> leading_out_;
  std::size_t bytes_ = 0;
};

/// Whether a path lies in a directory that an interpreter fills by itself: `__pycache__`.
bool is_cache(std::string_view path);

/// Whether a file has this content; permissions do not count.
bool holds(const std::filesystem::path& folder, const std::string& path,
           const FileVersion& version);

/// An earlier command may have made a script executable.
void allow_execution(const std::filesystem::path& folder, std::span<FileSwap::Wanted> scripts);

}  // namespace ralph::loop
