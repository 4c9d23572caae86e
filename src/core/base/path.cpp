#include "core/base/path.h"

#include <algorithm>
#include <iterator>

namespace ralph {

bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto [end, rest] = std::ranges::mismatch(folder, path);
  // A name that ends in "/" has an empty last part.
  return end == folder.end() || (std::next(end) == folder.end() && end->empty());
}

}  // namespace ralph
