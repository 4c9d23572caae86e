#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/tool/workspace.h"

namespace ralph::tool {

/// Whether what lies below a match matches too.
enum class Below { left_out, included };
/// Writes one part of a pattern as ripgrep understands it; empty: it is written so already.
using Translate = std::function<std::string(std::string_view part)>;
/// The parts of a pattern ("**" for any number of names) as globs that count from a folder, whose names its first parts
/// must match. Empty: nothing in the folder can match.
std::vector<std::string> globs_below(std::vector<std::string> pattern,
                                     const std::filesystem::path& folder, Below below,
                                     const Translate& translate = {});

/// Options that keep ripgrep, run in a folder, from the files that rules deny to read. They come last, to win over others.
std::vector<std::string> hiding_options(const std::filesystem::path& folder,
                                        const Workspace& workspace);

}  // namespace ralph::tool
