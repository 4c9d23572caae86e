#pragma once
#include <filesystem>

#include "agent/permission/access.h"
#include "core/base/shell_words.h"

namespace ralph::permission {

/// Whether git can look at things in a folder without starting a program that the repository names, and without reading
/// what is outside of it: no folder from there up is laid out like a bare repository; the settings of the repository and
/// of its submodules are known to be harmless; nothing in it is a link, and it borrows no objects of another.
bool git_reads_safely(const std::filesystem::path& folder, const WorkingFolders& folders);

/// Whether the line runs git and also makes files that could become the repository git finds.
bool creates_repository_files(const ShellLine& line);

/// Whether the line runs git and may do so in another folder than the one it starts in.
bool runs_git_elsewhere(const ShellLine& line);

}  // namespace ralph::permission
