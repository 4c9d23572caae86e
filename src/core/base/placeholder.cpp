#include "core/base/placeholder.h"

#include <filesystem>
#include <system_error>

namespace ralph {

bool is_placeholder(const char* path) {
  struct stat status{};
  std::error_code error;
  return ::lstat(path, &status) == 0 && is_placeholder(status) &&
         std::filesystem::is_empty(path, error) && !error;
}

}  // namespace ralph
