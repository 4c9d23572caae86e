#pragma once
#include <filesystem>
#include <string_view>

namespace ralph::permission {

/// What the settings of a repository are like.
struct RepositoryConfig {
  /// There are only settings with which git, while it only reads, starts no program and reads nothing outside of the
  /// repository: a list of known ones, every other is not harmless.
  bool harmless = false;
  bool names_worktree = false;  // core.worktree is there, and is the worktree that was asked for
};
/// `git_folder` is where the file is, `worktree` the only thing `core.worktree` may name.
RepositoryConfig check_config(std::string_view text, const std::filesystem::path& git_folder,
                              const std::filesystem::path& worktree);

}  // namespace ralph::permission
