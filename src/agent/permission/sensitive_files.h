#pragma once
#include <filesystem>
#include <string>

#include "agent/permission/access.h"

namespace ralph::permission {

/// Whether a change of the file could make other programs run commands: it is inside .git, .claude …, a start-up file of
/// a shell, or in one of WorkingFolders::own_folders.
bool is_sensitive(const std::filesystem::path& resolved, const WorkingFolders& folders);
/// Whether a file or directory of this name is sensitive anywhere.
bool is_sensitive_name(const std::string& name);

/// Whether a path is in the working directories and contains no links, not even dangling ones.
bool is_surely_inside(const std::filesystem::path& resolved, const WorkingFolders& folders);

}  // namespace ralph::permission
