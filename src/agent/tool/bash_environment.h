#pragma once
#include <vector>

#include "agent/tool/tool.h"
#include "system/process/command.h"

namespace ralph::tool {

/// The variables of a command's environment that we change. With them no editor waits, and git starts no pager, no
/// monitor and no hook just to look, and takes no folder for a bare repository by its looks, whatever settings the user's own GIT_CONFIG_*
/// make. What the session sets comes after, and wins.
std::vector<process::EnvChange> command_environment(const Workspace& workspace);

/// What else is taken from the environment of a command that runs on our word and not the user's: variables that change
/// what bash, git and others make of a command line, name programs or libraries to start, or hold secrets.
std::vector<process::EnvChange> confined_environment(const Workspace& workspace);

}  // namespace ralph::tool
