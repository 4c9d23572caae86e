#include "base/names.h"

#include <algorithm>

#include <fmt/core.h>

namespace ralph {

std::string join_names(const std::vector<std::string>& paths) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(paths.size(), kMost); ++i) {
    text += fmt::format("{}'{}'", i == 0 ? "" : ", ", paths[i]);
  }
  return paths.size() > kMost ? fmt::format("{} and {} more", text, paths.size() - kMost) : text;
}

}  // namespace ralph
