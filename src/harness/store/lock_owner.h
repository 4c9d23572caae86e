#pragma once
#include <cstdint>
#include <string>

#include "core/base/unique_fd.h"

namespace ralph::store {

/// The process that holds the exclusive flock(2) of an open file, as the kernel says and whatever the file says; 0: none
/// that is seen from here (another container, no /proc), or not a ralph.
/// `named`: a process to ask about where the kernel's list does not help, as on some overlay file systems.
std::int64_t lock_owner(const UniqueFd& file, std::int64_t named);

/// "ralph loop" by the command line of a process; empty: it is not known.
std::string command_of(std::int64_t pid);

}  // namespace ralph::store
