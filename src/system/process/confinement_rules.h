#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "system/process/command.h"

namespace ralph::process {

/// What a Landlock ABI can restrict; rights it does not know are left out.
struct LandlockRights {
  std::uint64_t handled = 0;  // access to files
  std::uint64_t scopes = 0;   // 1: abstract sockets, 2: signals
  std::uint64_t read = 0, execute = 0, write = 0, device = 0;

  bool operator==(const LandlockRights&) const = default;
};
LandlockRights landlock_rights(int abi, Confinement::Network network);

/// The capabilities that root keeps, a bit each: those to read, or to change, files of other owners.
std::uint64_t kept_capabilities(const Confinement& confinement, bool is_root);

/// The confinement as the guard gets it (guard/rules.h).
Result<std::string> encode_rules(const Confinement& confinement, const ConfinementSupport& support,
                                 Mechanism mechanism);

/// The rules for Command::sandbox_filter.
Result<std::string> sandbox_rules(SandboxFilter wanted);

/// Words in front of the program's own that make bubblewrap enforce the confinement.
std::vector<std::string> bubblewrap_words(const Confinement& confinement,
                                          const std::string& bubblewrap,
                                          const std::filesystem::path& cwd);

}  // namespace ralph::process
