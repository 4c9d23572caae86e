#pragma once
#include <filesystem>
#include <string_view>

namespace ralph::permission {

/// The result of check_config().
struct RepositoryConfig {
  /// With these settings read-only git commands start no program and read nothing outside the repository. Only settings
  /// on a list of known ones count as harmless.
  bool harmless = false;
  bool names_worktree = false;  // core.worktree is set to the given worktree
};
/// `git_folder`: the directory of the file; `worktree`: the only value that `core.worktree` may have.
RepositoryConfig check_config(std::string_view text, const std::filesystem::path& git_folder,
                              const std::filesystem::path& worktree);

}  // namespace ralph::permission
