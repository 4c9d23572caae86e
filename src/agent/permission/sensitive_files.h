#pragma once
#include <filesystem>
#include <string>

#include "agent/permission/access.h"

namespace ralph::permission {

/// A file whose change could make other programs run something: inside .git, .claude …, or a start-up
/// file of a shell, or one of WorkingFolders::own_folders.
bool is_sensitive(const std::filesystem::path& resolved, const WorkingFolders& folders);
/// Whether a file or folder of this name is one, wherever it is.
bool is_sensitive_name(const std::string& name);

/// Whether a path is in the working folders, also once links that lead nowhere yet are followed.
bool is_surely_inside(const std::filesystem::path& resolved, const WorkingFolders& folders);

}  // namespace ralph::permission
