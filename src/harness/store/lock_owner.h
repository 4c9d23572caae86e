#pragma once
#include <cstdint>

#include "core/base/unique_fd.h"
#include "harness/store/lock.h"

namespace ralph::store {

/// The process that holds the exclusive flock(2) of an open file, according to the kernel, whatever the file says; 0:
/// none that is visible from here (another container, no /proc), or not a ralph. `named`: the process to check if
/// /proc/locks does not list the lock, as on some overlay file systems.
std::int64_t lock_owner(const UniqueFd& file, std::int64_t named);

/// By the command line of a process.
LockUser command_of(std::int64_t pid);

}  // namespace ralph::store
