#pragma once
#include <filesystem>

#include <sys/types.h>

namespace ralph {

/// The users whose settings files in parent directories apply: the caller, the superuser, and the owner of the working
/// directory, whom the caller trusts by working there.
class TrustedOwners {
 public:
  explicit TrustedOwners(const std::filesystem::path& folder);
  /// Checks the path itself, without following a link. False if stat(2) fails.
  bool own(const std::filesystem::path& path) const;

 private:
  uid_t folders_owner_;
};

}  // namespace ralph
