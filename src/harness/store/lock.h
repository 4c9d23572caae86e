#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "harness/store/location.h"

namespace ralph::store {

/// The command that holds the lock of a workspace.
enum class LockUser { run, loop, undo, unknown };
/// "ralph loop", as the lock file and messages have it; unknown: "a run".
std::string_view to_string(LockUser user);
LockUser lock_user_named(std::string_view name);

/// The one run that may work in a workspace. Held until destroyed; a crash releases it.
class Lock {
 public:
  /// flock(2) on the file, which then holds pid, start time, command and id: `id` names the run or the loop. Code::busy
  /// when a live process holds it: the message names its pid and since when. The file of a dead one is taken over.
  static Result<Lock> take(const Location& file, LockUser user, std::string_view id = {});
  /// Who holds it now, read-only: nothing is made, written or taken over. nullopt: it is free.
  struct Holder {
    std::int64_t pid = 0;  // by the kernel, not by the file; 0: not known, as of another container
    LockUser user = LockUser::unknown;
    std::string since;
    std::string id;  // of its run or loop, as the file says; empty: not known
  };
  static std::optional<Holder> holder(const Location& file);
  /// What take() fails with then.
  static Error busy(const Holder& holder);
  Lock(Lock&& other) noexcept = default;
  Lock& operator=(Lock&&) = delete;
  /// Empties the file and leaves it where it is.
  ~Lock();

 private:
  explicit Lock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace ralph::store
