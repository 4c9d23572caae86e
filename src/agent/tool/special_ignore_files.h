#pragma once
#include <filesystem>

namespace ralph::tool {

/// Whether ripgrep would block on a pipe or device that is one of git's ignore files: a .gitignore in the directory, below
/// or above it, or the info/exclude of a repository. Checks at most 20,000 entries.
bool has_special_ignore_files(const std::filesystem::path& folder);

}  // namespace ralph::tool
