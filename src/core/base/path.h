#pragma once
#include <filesystem>

namespace ralph {

/// Whether `path` is `folder` or inside it, by their names: both must be absolute, with links resolved.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);

/// Links are not followed: a dangling link exists.
bool path_exists(const std::filesystem::path& path);
/// Links are not followed: a link to a directory is not one.
bool is_real_directory(const std::filesystem::path& path);

}  // namespace ralph
