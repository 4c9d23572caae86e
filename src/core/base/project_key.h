#pragma once
#include <filesystem>
#include <string>

namespace ralph {

/// The directory name of a project's sessions under `projects`, as Claude Code makes it: letters and digits stay, other
/// characters become '-', and names over 200 characters are cut and end with a hash.
std::string project_key(const std::filesystem::path& real_path);

}  // namespace ralph
