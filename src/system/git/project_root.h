#pragma once
#include <filesystem>
#include <string>

namespace ralph::git {

/// The directory whose `.ralph` counts for `folder`, and up to which settings are looked for.
struct ProjectRoot {
  std::filesystem::path folder;  // a real path
  std::string warning;           // why it is not the repository's root; empty: nothing to say
};

/// The root of the repository or linked worktree that `folder` lies in, or `folder` itself. Like git with safe.directory,
/// it trusts no directory and no `.git` above that belongs to a user other than the caller, the superuser
/// and the owner of `folder`. A repository in `home` counts in `home` itself only.
ProjectRoot find_project_root(const std::filesystem::path& folder,
                              const std::filesystem::path& home);

}  // namespace ralph::git
