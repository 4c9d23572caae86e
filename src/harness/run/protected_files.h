#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ralph::run {

/// Files and directories of a workspace that give power to their writer, because ralph, direnv, git or an agent obeys
/// them later. Relative to the workspace.
std::span<const std::string_view> protected_files();

/// A mount can keep an agent neither from creating what does not exist nor from replacing a symbolic link. What was
/// missing before a sandboxed run and is there after it is moved away by this, and a link that was replaced is put back:
/// nothing obeys what the agent wrote.
class ProtectedFiles {
 public:
  /// As they are now. `more` are further paths to protect, relative to the workspace.
  explicit ProtectedFiles(const std::filesystem::path& workspace,
                          const std::vector<std::filesystem::path>& more = {});
  ProtectedFiles(const ProtectedFiles&) = delete;
  ProtectedFiles& operator=(const ProtectedFiles&) = delete;
  ~ProtectedFiles();

  /// Call when no process of the agent is left. Moves what was created into `folder`, which is made when it is needed.
  /// One line for each, for the user.
  std::vector<std::string> restore(const std::filesystem::path& folder) const;

  /// Keeps this in ralph's state directory as long as the object lives, for the case that ralph is killed. Files that
  /// ConfigWatch keeps are left to it: the user accepts them. Without a state directory nothing is kept.
  Result<> remember(const std::filesystem::path& state);
  /// What a ralph that was killed did not restore. Nothing when there is no record.
  static std::vector<std::string> recover(const std::filesystem::path& workspace,
                                          const std::filesystem::path& state,
                                          const std::filesystem::path& folder);

 private:
  struct Link {
    std::filesystem::path path, target;
  };
  ProtectedFiles() = default;
  void add_links(const std::filesystem::path& path);
  std::string move_away(const std::filesystem::path& path,
                        const std::filesystem::path& folder) const;

  std::filesystem::path workspace_;
  std::vector<std::string> missing_;
  std::vector<Link> links_;
  bool without_git_ = false;
  std::filesystem::path record_;  // in the state directory; empty: none
};

}  // namespace ralph::run
