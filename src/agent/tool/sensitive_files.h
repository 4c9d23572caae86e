#pragma once
#include <filesystem>
#include <string>

#include "agent/tool/workspace.h"

namespace ralph::tool {

/// A file whose change could make other programs run something: inside .git, .claude …, or a start-up
/// file of a shell, or one of Workspace::Setup::own_folders.
bool is_sensitive(const std::filesystem::path& resolved, const Workspace& workspace);
/// Whether a file or folder of this name is one, wherever it is.
bool is_sensitive_name(const std::string& name);

/// Whether a path is in the working folders, also once links that lead nowhere yet are followed.
bool is_surely_inside(const std::filesystem::path& resolved, const Workspace& workspace);

}  // namespace ralph::tool
