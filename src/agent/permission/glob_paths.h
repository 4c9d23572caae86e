#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace ralph::permission {

/// All that the shell could make of a pattern in a folder, and maybe more; nullopt: it would take too long to tell.
/// `entries_left` is how many names may still be looked at, and is lowered.
std::optional<std::vector<std::filesystem::path>> matching_paths(
    std::string_view pattern, const std::filesystem::path& folder, std::size_t& entries_left);

}  // namespace ralph::permission
