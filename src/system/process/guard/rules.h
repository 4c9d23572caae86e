#pragma once
#include <cstdint>

/// The confinement of a program as the guard gets it, in a sealed file in memory (kRulesFd): records one after the
/// other, each a RuleHeader and its bytes, filled up to a multiple of 8. A path ends in NUL.
namespace ralph::process::guard {

enum class RuleKind : std::uint32_t {
  landlock = 1,    // number: handled access to files; second: scopes
  allow,           // Landlock: access `number` below a path; a missing path is left out
  mounts,          // a mount namespace where everything is read-only …
  writable,        // … but this path
  fixed,           // a directory in a writable one that can be neither moved nor removed
  protect,         // made if missing, removed at the end; number 1: read-only
  hidden,          // a path that cannot be opened
  capabilities,    // number: those that are kept, a bit each
  filter,          // an array of sock_filter
  wrapper_filter,  // the same, for the wrapper (kFilterFd)
  scratch,         // a directory to be removed at the end
  keyring,         // a new session keyring
};

struct RuleHeader {
  RuleKind kind{};
  std::uint32_t length = 0;
  std::uint64_t number = 0;
  std::uint64_t second = 0;
};

}  // namespace ralph::process::guard
