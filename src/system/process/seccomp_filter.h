#pragma once
#include <optional>
#include <string>

#include "system/process/command.h"

namespace ralph::process {

/// The seccomp program of a confinement, as the kernel takes it (an array of sock_filter). It covers what Landlock of
/// this ABI does not: sockets, processes outside the tree, namespaces, and without writable paths every change of a
/// file's mode, owner, times and attributes. System calls that are newer than its table do not exist for the program.
/// nullopt: no table for this architecture.
std::optional<std::string> seccomp_filter(const Confinement& confinement, int landlock_abi);

/// One for a whole sandbox, which denies what SandboxFilter names and nothing else.
std::optional<std::string> sandbox_filter(SandboxFilter filter);

}  // namespace ralph::process
