#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "agent/tool/workspace.h"

namespace ralph::tool {

/// The value of a variable that a command will see; empty: none.
std::string variable_of_commands(const Workspace& workspace, std::string_view name);

/// Folders of the system's programs and libraries that exist, resolved. They do not change while we run.
const std::vector<std::filesystem::path>& system_folders();

/// The folders of PATH for a command that runs without being asked about, resolved and in order: no relative one, none
/// that would open a home or the whole system, and none in or around a working folder, where whoever writes files would
/// choose the programs. Found once for the same variables and folders: a link that leads elsewhere later is of no use.
std::vector<std::filesystem::path> program_folders(const Workspace& workspace);

}  // namespace ralph::tool
