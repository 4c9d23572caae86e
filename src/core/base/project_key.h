#pragma once
#include <filesystem>
#include <string>

namespace ralph {

/// The name Claude Code and our agent give the folder of a project's sessions under `projects`: letters and digits stay,
/// other characters become '-', and from 200 characters on a hash follows.
std::string project_key(const std::filesystem::path& real_path);

}  // namespace ralph
