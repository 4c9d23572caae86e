#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "harness/store/location.h"
#include "harness/store/user_state.h"

namespace ralph::store {

/// What the user says with `ralph tell`, until an iteration has read it. Kept in the user's state directory with a MAC,
/// because a prompt says that it comes from the user: a file in the workspace could be the agent's, or a repository's.
class Guidance {
 public:
  /// Touches nothing. `state_folder`: user_state_folder().
  Guidance(const std::filesystem::path& workspace, std::filesystem::path state_folder);

  struct Message {
    std::string name, text;
  };
  /// For the next prompt; its name. An error when there is no place for it outside of the workspace. Needs no lock.
  Result<std::string> leave(std::string_view text) const;
  /// The oldest first. `refused`: what is there, or in `.ralph/state/guidance`, and is ignored, and why.
  std::vector<Message> pending(std::string& refused) const;
  /// Call when the iteration whose prompt has them has ended.
  void remove(const std::vector<std::string>& names) const;

 private:
  UserState user_;
  Location planted_;  // where files of others may be taken for messages
};

}  // namespace ralph::store
