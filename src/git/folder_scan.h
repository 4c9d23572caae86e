#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ralph::git {

/// Code::permission: something that git would open is a named pipe or a device, for which it would wait as long as it may:
/// a `.gitignore`, `.gitattributes` or `.gitmodules` in `root`, anything in the git folders. Of a very large folder only the
/// first files are looked at, those nearest to its top.
Result<> refuse_blocking_files(const std::filesystem::path& root,
                               const std::vector<std::filesystem::path>& git_folders);

/// Folders below `root` with a `.git` of their own, submodules among them, in which a file was changed since then; sorted.
/// What is inside of such a folder belongs to it.
std::vector<std::string> changed_repositories(const std::filesystem::path& root, UtcTime since);

}  // namespace ralph::git
