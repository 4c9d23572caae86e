#pragma once
#include <filesystem>

namespace ralph {

/// Whether `path` is `folder` or lies in it, by their names alone: both are absolute, with links resolved.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace ralph
