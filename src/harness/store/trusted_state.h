#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "harness/store/loop_state.h"
#include "harness/store/user_state.h"

namespace ralph::store {

/// What a user can do when the state of a loop is not what ralph wrote.
inline constexpr std::string_view kUntrustedStateHint =
    "start a new loop, or use 'ralph loop --resume --accept-changes' to continue with the contents "
    "of "
    ".ralph/state";

/// The last loop of a workspace as ralph itself wrote it: its state and its records, in UserState: loop.json and
/// ID.ndjson. `.ralph/state/` holds a copy for people; an agent can write that one.
class TrustedState {
 public:
  /// Touches nothing. `folder` is user_state_folder().
  TrustedState(const std::filesystem::path& workspace, std::filesystem::path folder);

  /// Makes the directories and the key. An error: nothing can be kept there, or it lies within the workspace.
  Result<> prepare() const { return user_.prepare(); }
  /// nullopt: no loop of this workspace is known. Code::permission: not what ralph wrote.
  Result<std::optional<LoopState>> load();
  /// After load(): the workspace is still the directory it was, not another one of the same name.
  bool same_folder() const { return same_folder_; }
  Result<> save(const LoopState& state);
  /// Of the loop that load() gave. Code::permission: not what ralph wrote, or fewer than it wrote.
  Result<std::vector<LoopRecord>> records();
  /// For the loop of the last load() or save(); on the disk when this returns.
  Result<> append(const LoopRecord& record);
  /// The loop has no records from now on.
  Result<> restart(const std::string& loop_id);
  /// Removes the records of loops before that one.
  void forget_others() const;

  const std::filesystem::path& folder() const { return user_.folder(); }
  const UserState& user() const { return user_; }

 private:
  /// The records of one loop, as far as they were read or written: appending needs no second look at them.
  struct Chain {
    std::string loop_id, mac;  // the MAC of the last line
    std::int64_t count = 0;
    std::int64_t saved = 0;  // so many are there at least
    std::int64_t bytes = 0;  // where the last whole line ends
  };
  std::string next_mac(std::string_view key, std::string_view line) const;
  std::filesystem::path records_file() const;

  UserState user_;
  Chain chain_;
  bool same_folder_ = true;
};

}  // namespace ralph::store
