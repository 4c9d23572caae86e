#include "core/base/path.h"

#include <algorithm>
#include <iterator>

namespace ralph {

bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto [end, rest] = std::ranges::mismatch(folder, path);
  // A name that ends in "/" has an empty last part.
  return end == folder.end() || (std::next(end) == folder.end() && end->empty());
}

bool path_exists(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(path, error));
}

bool is_real_directory(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_directory(std::filesystem::symlink_status(path, error));
}

}  // namespace ralph
