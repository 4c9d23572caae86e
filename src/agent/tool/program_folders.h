#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "agent/tool/workspace.h"

namespace ralph::tool {

/// The value of a variable in the environment of commands; empty: not set.
std::string variable_of_commands(const Workspace& workspace, std::string_view name);

/// The existing directories of system programs and libraries, resolved; computed once.
const std::vector<std::filesystem::path>& system_folders();

/// The directories of PATH for a command that runs without the user's permission, resolved and in order. Left out:
/// relative ones, those that contain a home directory or the whole system, and those in or above a working directory,
/// because the agent could place programs there. Cached for the same variables and directories, so that links changed
/// later have no effect.
std::vector<std::filesystem::path> program_folders(const Workspace& workspace);

}  // namespace ralph::tool
