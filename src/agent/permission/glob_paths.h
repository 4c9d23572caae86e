#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace ralph::permission {

/// A superset of the paths that the shell could expand a pattern to in a directory; nullopt: too many entries to read.
/// `entries_left`: directory entries that may still be read; decremented.
std::optional<std::vector<std::filesystem::path>> matching_paths(
    std::string_view pattern, const std::filesystem::path& folder, std::size_t& entries_left);

}  // namespace ralph::permission
