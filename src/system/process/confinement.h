#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "system/process/env_change.h"

namespace ralph::process {

/// What a program and everything it starts can do; the kernel holds them to it until the last of them has ended. Paths
/// are absolute, with links resolved. Signals, ptrace and the memory of processes outside the program's own tree are
/// always out of reach, and it gets no descriptor but its stdio.
struct Confinement {
  enum class Network { none, all };

  std::vector<std::filesystem::path> read;     // can be read; what does not exist is left out
  std::vector<std::filesystem::path> execute;  // the same, and programs in there can be started
  std::vector<std::filesystem::path> write;    // can be read and changed
  std::vector<std::filesystem::path> hidden;   // in one of the above, and cannot be opened
  std::vector<std::filesystem::path> protect;  // in `write`: cannot be changed, or made if missing
  std::filesystem::path scratch;  // a private directory that can be changed; the guard removes it
  Network network = Network::none;
  std::vector<EnvChange> environment;  // applied after Command::env

  /// Paths inside an allowed directory need a mount namespace of their own; so does writing, because no other rule of the
  /// kernel covers the mode, owner and times of files.
  bool needs_mounts() const { return !hidden.empty() || !write.empty(); }
  bool operator==(const Confinement&) const = default;
};

/// One line for each thing allowed, hidden or changed.
std::string to_text(const Confinement& confinement);

/// What this machine can enforce.
struct ConfinementSupport {
  int landlock_abi = 0;    // 0: none
  bool seccomp = false;    // with a filter for this architecture
  bool mounts = false;     // a mount namespace, with or without a user namespace
  std::string no_mounts;   // why not
  std::string bubblewrap;  // the program; empty: it is not installed, or does not work here

  bool operator==(const ConfinementSupport&) const = default;
};

/// Which mechanism enforces what.
std::string describe(const ConfinementSupport& support);

enum class Mechanism { kernel, bubblewrap };

/// Which mechanism enforces a confinement; the error says what is missing.
Result<Mechanism> mechanism_for(const Confinement& confinement, const ConfinementSupport& support);

/// Looked at once, and only as far as `confinement` needs it.
ConfinementSupport support_for(const Confinement& confinement);
/// All of it.
ConfinementSupport full_support();

}  // namespace ralph::process
