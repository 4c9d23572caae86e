#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "tool/workspace.h"

namespace ralph::tool {

/// Options that keep ripgrep, run in a folder, from the files that rules deny to read. They come last, to win over others.
std::vector<std::string> hiding_options(const std::filesystem::path& folder,
                                        const Workspace& workspace);

}  // namespace ralph::tool
