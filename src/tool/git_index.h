#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::tool {

/// The paths of the submodules in an index of git (versions 2 to 4, SHA-1), given its bytes. nullopt: it is none, or only a
/// part of one.
std::optional<std::vector<std::string>> submodule_paths(std::string_view index);

}  // namespace ralph::tool
