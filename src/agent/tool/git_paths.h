#pragma once
#include <filesystem>
#include <vector>

#include "agent/tool/workspace.h"

namespace ralph::tool {

/// What git reads outside the working directories: the user's configuration with the files it includes, and the
/// repository of the root if that is above the root or if the root is a linked worktree. A `.git` file is trusted only if
/// the repository it names points back to it. All paths are resolved without following links in a working directory or
/// in a directory above the root.
std::vector<std::filesystem::path> git_paths(const Workspace& workspace,
                                             const std::filesystem::path& home,
                                             const std::filesystem::path& xdg_config);

}  // namespace ralph::tool
