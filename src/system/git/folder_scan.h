#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"

namespace ralph::git {

/// Fails with Code::permission if git would block on a named pipe or a device: a `.gitignore`, `.gitattributes` or
/// `.gitmodules` anywhere below `root`, or any file in the git directories. A very large tree is scanned breadth-first, and only
/// up to a limit.
Result<> refuse_blocking_files(const std::filesystem::path& root,
                               const std::vector<std::filesystem::path>& git_folders);

/// Directories below `root` with a `.git` of their own, submodules among them, in which a file was changed since then; sorted.
/// What is inside of such a directory belongs to it.
std::vector<std::string> changed_repositories(const std::filesystem::path& root, UtcTime since);

struct NamedFiles {
  std::vector<std::string> paths;  // below the root; links count, wherever they lead
  bool all =
      true;  // false: the tree is too large, or this user has a directory in it that cannot be searched
};
/// The files of these names (such as "a" or "b/a") in `root`, in every directory below it and in directories that links there
/// lead to. What is inside of `.git` and `.ralph` is left out.
NamedFiles find_named(const std::filesystem::path& root, std::span<const std::string_view> names);

/// What was changed since then in directories named `.ralph`, which no commit takes in: such directories below `root`, and in
/// `own`, that of the workspace relative to `root`, names that are not ralph's; sorted.
std::vector<std::string> changed_in_ralph_folders(const std::filesystem::path& root,
                                                  const std::filesystem::path& own, UtcTime since);

}  // namespace ralph::git
