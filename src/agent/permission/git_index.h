#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::permission {

struct IndexPaths {
  std::vector<std::string> submodules;
  std::vector<std::string> folders;  // that hold files, most of them once
};

/// What an index of git (versions 2 to 4, SHA-1) has paths of, given its bytes. nullopt: it is not an index, or only a part of one.
std::optional<IndexPaths> index_paths(std::string_view index);

}  // namespace ralph::permission
