#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::permission {

struct IndexPaths {
  std::vector<std::string> submodules;
  std::vector<std::string> folders;  // directories with tracked files; may have duplicates
};

/// The paths in the bytes of a git index (versions 2 to 4, SHA-1). nullopt: not an index, or an incomplete one.
std::optional<IndexPaths> index_paths(std::string_view index);

}  // namespace ralph::permission
