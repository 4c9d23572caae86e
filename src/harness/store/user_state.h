#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/json/document.h"

namespace ralph::store {

/// $XDG_STATE_HOME/ralph or ~/.local/state/ralph, by ralph's own environment; empty: neither is known.
std::filesystem::path user_state_folder();

/// What ralph remembers of a workspace outside of it, in the user's state directory, where no agent should write. Every
/// file has a MAC whose key lies there too. Files: FOLDER/key, FOLDER/loops/<digest of the workspace's real path>/; all
/// private.
class UserState {
 public:
  /// Touches nothing. `folder` is user_state_folder().
  UserState(const std::filesystem::path& workspace, std::filesystem::path folder);

  /// Makes the directories and the key. An error: nothing can be kept there, or it lies within the workspace.
  Result<> prepare() const;
  /// An error also when the directory lies within the workspace: an agent could have written its files.
  Result<std::string> key() const;

  /// A document with its MAC, bound to the workspace; `name` is relative to folder().
  Result<> write(const std::filesystem::path& name, std::string_view about,
                 json::Document body) const;
  /// nullopt: there is none. Code::permission: not what ralph wrote for this workspace.
  Result<std::optional<json::Document>> read(const std::filesystem::path& name,
                                             std::size_t max_bytes) const;
  void remove(const std::filesystem::path& name) const;

  /// The document was written for the directory that is there now, not for another one of the same name.
  bool same_folder(const json::Document& body) const;

  /// Empty: the user has no state directory.
  const std::filesystem::path& folder() const { return folder_; }

 private:
  Result<> check_place() const;

  std::filesystem::path root_;       // ralph's directory
  std::filesystem::path workspace_;  // its real path
  std::filesystem::path folder_;     // of the workspace
};

}  // namespace ralph::store
