#pragma once
#include <filesystem>
#include <vector>

#include "agent/tool/workspace.h"
#include "core/base/result.h"

namespace ralph::tool {

/// Every existing file and directory that a rule denies reading (Workspace::Setup::unreadable), with further hard links
/// to such files in the working directories. A directory covers everything below it. Fails if the working directories
/// have too many files to check.
Result<std::vector<std::filesystem::path>> denied_paths(const Workspace& workspace);

}  // namespace ralph::tool
