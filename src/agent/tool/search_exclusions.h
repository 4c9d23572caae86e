#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/tool/workspace.h"

namespace ralph::tool {

/// Whether everything below a match matches too.
enum class Below { left_out, included };
/// Converts one part of a pattern to ripgrep's syntax; empty: no conversion needed.
using Translate = std::function<std::string(std::string_view part)>;
/// Converts the parts of an absolute pattern ("**" matches any number of names) to globs relative to a directory.
/// Empty: nothing in the directory can match.
std::vector<std::string> globs_below(std::vector<std::string> pattern,
                                     const std::filesystem::path& folder, Below below,
                                     const Translate& translate = {});

/// Options that exclude files with a rule that denies reading from a search in a directory. Pass them last: the last
/// option wins.
std::vector<std::string> exclusion_options(const std::filesystem::path& folder,
                                           const Workspace& workspace);

}  // namespace ralph::tool
