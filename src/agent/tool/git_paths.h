#pragma once
#include <filesystem>
#include <vector>

#include "agent/tool/workspace.h"

namespace ralph::tool {

/// What git reads outside of the working folders: the user's own configuration with the files it includes, and the
/// repository that the root is a part of, if that is above it, or that it is a linked worktree of. A `.git` file is
/// believed only if the repository it names points back at it. All paths are resolved; no link in a working folder, or
/// in a folder above the root, decides where they lead.
std::vector<std::filesystem::path> git_paths(const Workspace& workspace,
                                             const std::filesystem::path& home,
                                             const std::filesystem::path& xdg_config);

}  // namespace ralph::tool
