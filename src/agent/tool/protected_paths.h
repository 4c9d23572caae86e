#pragma once
#include <filesystem>
#include <vector>

#include "agent/tool/workspace.h"
#include "core/base/result.h"

namespace ralph::tool {

/// The paths that other programs read commands from: in every working directory, whether they exist or not, and existing
/// ones in the directories below, up to a limited depth. Fails if one could be changed through another name (a link).
Result<std::vector<std::filesystem::path>> protected_paths(const Workspace& workspace);

}  // namespace ralph::tool
