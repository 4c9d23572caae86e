#pragma once
#include <filesystem>
#include <vector>

#include "agent/tool/workspace.h"
#include "core/base/result.h"

namespace ralph::tool {

/// What other programs take commands from, in every working folder, whether it exists or not, and what of it exists in
/// the folders below (as far as a bounded look finds it). An error: one of them could be changed by another name.
Result<std::vector<std::filesystem::path>> protected_paths(const Workspace& workspace);

}  // namespace ralph::tool
