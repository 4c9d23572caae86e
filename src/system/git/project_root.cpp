#include "system/git/project_root.h"

#include <fmt/core.h>

#include "core/base/owner.h"
#include "core/base/path.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

/// A directory with a HEAD, or the file of a linked worktree or a submodule.
bool is_repository(const fs::path& git) {
  std::error_code error;
  return fs::is_regular_file(git, error) || fs::exists(git / "HEAD", error);
}

}  // namespace

ProjectRoot find_project_root(const fs::path& folder, const fs::path& home) {
  const auto start = real_path(folder);
  const auto ceiling = home.empty() ? fs::path() : real_path(home);
  const TrustedOwners owners(start);
  fs::path foreign;
  for (auto at = start; at != at.root_path(); at = at.parent_path()) {
    if (at != start && at == ceiling) break;
    const auto git = at / ".git";
    if (at != start && foreign.empty() && !owners.own(at)) foreign = at;
    if (!is_repository(git)) continue;
    if (at != start && foreign.empty() && !owners.own(git)) foreign = git;
    if (foreign.empty()) return {at, {}};
    return {start, fmt::format("'{}' belongs to another user: the repository '{}' is not used for "
                               "settings and state",
                               foreign.native(), at.native())};
  }
  return {start, {}};
}

}  // namespace ralph::git
