#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::run {

/// Files and folders of a workspace that give power to their writer, because ralph, direnv, git or an agent obeys
/// them later. Relative to the workspace.
std::span<const std::string_view> protected_files();

/// A mount cannot keep an agent from creating what does not exist. What is missing before a sandboxed run and there
/// after it is moved away by this: nothing obeys it.
class MissingFiles {
 public:
  /// What is missing now.
  explicit MissingFiles(std::filesystem::path workspace);

  /// Call when no process of the agent is left. Moves what was created into `folder`, which is made when it is needed.
  /// One line for each, for the user.
  std::vector<std::string> move_created(const std::filesystem::path& folder) const;

 private:
  std::filesystem::path workspace_;
  std::vector<std::string> missing_;
  bool without_git_ = false;
};

}  // namespace ralph::run
