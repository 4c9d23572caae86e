#pragma once
#include <vector>

#include "agent/tool/tool.h"
#include "system/process/command.h"

namespace ralph::tool {

/// Changes to the environment of every command: editors return at once; read-only git commands start no pager, monitor
/// or hook and recognise bare repositories only if named explicitly, whatever the user's GIT_CONFIG_* variables say.
/// The session's own variables come after these and take precedence.
std::vector<process::EnvChange> command_environment(const Workspace& workspace);

/// Further changes for a command that runs without the user's permission: removes variables that change how bash, git
/// and other programs interpret a command line, that name programs or libraries to load, or that contain secrets.
std::vector<process::EnvChange> confined_environment(const Workspace& workspace);

}  // namespace ralph::tool
