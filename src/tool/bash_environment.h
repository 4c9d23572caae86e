#pragma once
#include <vector>

#include "process/command.h"
#include "tool/workspace.h"

namespace ralph::tool {

/// The variables of a command's environment that we change: with them git starts no pager, no monitor and no hook just
/// to look, and takes no folder for a bare repository by its looks. What the session sets comes after, and wins.
std::vector<process::EnvChange> command_environment(const Workspace& workspace);

}  // namespace ralph::tool
