#pragma once
#include <filesystem>

namespace ralph::tool {

/// Whether ripgrep, searching a folder, would open a pipe or a device as one of git's ignore files, and wait there: a
/// .gitignore in the folder, below or above, or an info/exclude of a repository. Looks at 20,000 entries at most.
bool has_odd_ignore_files(const std::filesystem::path& folder);

}  // namespace ralph::tool
