#include "harness/run/remove_tree.h"

#include <fmt/core.h>

namespace ralph::run {

namespace fs = std::filesystem;

namespace {

/// A directory is opened before what is below it is visited.
void allow_removal(const fs::path& folder) {
  std::error_code error;
  fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add, error);
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code each;
    if (at->symlink_status(each).type() != fs::file_type::directory) continue;
    fs::permissions(at->path(), fs::perms::owner_all, fs::perm_options::add, each);
  }
}

}  // namespace

Result<> remove_tree(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error) return {};
  allow_removal(folder);
  fs::remove_all(folder, error);
  if (!error) return {};
  return fail(Code::storage,
              fmt::format("cannot remove '{}': {}", folder.native(), error.message()),
              "remove it yourself");
}

}  // namespace ralph::run
