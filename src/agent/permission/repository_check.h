#pragma once
#include <filesystem>

#include "agent/permission/access.h"
#include "core/base/shell_words.h"

namespace ralph::permission {

/// Whether read-only git commands in a directory start no program that the repository names, and read nothing outside
/// it: no directory from there up looks like a bare repository, the settings of the repository and its submodules are
/// known to be harmless, the repository contains no links and uses no objects of another one.
bool git_reads_safely(const std::filesystem::path& folder, const WorkingFolders& folders);

/// Whether the line runs git and also creates files that git could take for its repository.
bool creates_repository_files(const ShellLine& line);

/// Whether the line may run git in another directory than the one it starts in.
bool runs_git_elsewhere(const ShellLine& line);

}  // namespace ralph::permission
