#pragma once
#include <optional>
#include <string>

#include "process/confinement.h"

namespace ralph::process {

/// The seccomp program of a confinement, as the kernel takes it (an array of sock_filter). It covers what Landlock of
/// this ABI does not: sockets, processes outside the tree, namespaces, and without writable paths every change of a
/// file's mode, owner, times and attributes. System calls that are newer than its table do not exist for the program.
/// nullopt: there is no table for this architecture.
std::optional<std::string> seccomp_filter(const Confinement& confinement, int landlock_abi);

/// One that denies the system calls for the kernel's keyrings and nothing else.
std::optional<std::string> keyring_filter();

}  // namespace ralph::process
