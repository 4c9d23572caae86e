#pragma once
#include <filesystem>
#include <vector>

namespace ralph::tool {

/// What git reads outside of a working folder: the user's own configuration with the files it includes, and the
/// repository that the folder is a part of, if that is above it, or that it is a linked worktree of. A `.git` file is
/// believed only if the repository it names points back at it.
std::vector<std::filesystem::path> git_paths(const std::filesystem::path& root,
                                             const std::filesystem::path& home,
                                             const std::filesystem::path& xdg_config);

}  // namespace ralph::tool
