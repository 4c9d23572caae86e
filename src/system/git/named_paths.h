#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "system/process/env_change.h"

namespace ralph::git {

/// The root of the repository a directory lies in; empty: none.
std::filesystem::path root_of(const std::filesystem::path& folder);

/// Where `.git`, a directory, a link or a file, leads to; first the directory that it shares with other worktrees.
std::vector<std::filesystem::path> git_folders(const std::filesystem::path& git);

/// Paths in the workspace, relative to it, that the settings of its repository, of the user or of the system let git obey:
/// hooks (core.hooksPath), settings to include, attributes. They need not exist. For hooks in the workspace itself, each
/// name that a hook can have. `program` is git's; `env` says whose settings (HOME).
std::vector<std::filesystem::path> named_paths(const std::string& program,
                                               const std::filesystem::path& workspace,
                                               const std::filesystem::path& home,
                                               const std::vector<process::EnvChange>& env);

}  // namespace ralph::git
