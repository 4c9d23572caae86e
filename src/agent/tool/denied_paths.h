#pragma once
#include <filesystem>
#include <vector>

#include "agent/tool/workspace.h"
#include "core/base/result.h"

namespace ralph::tool {

/// Every file and folder that exists and that a rule denies to read (Workspace::Setup::unreadable), with the other names
/// of such files in the working folders. Folders stand for all that is in them. An error: there are too many files in
/// the working folders to look at.
Result<std::vector<std::filesystem::path>> denied_paths(const Workspace& workspace);

}  // namespace ralph::tool
