#pragma once
#include <filesystem>

#include <sys/types.h>

namespace ralph {

/// Whose files may be obeyed from a working folder although they lie above it: the caller's, the superuser's, and those of
/// the folder's owner, whom the caller trusts by working there.
class TrustedOwners {
 public:
  explicit TrustedOwners(const std::filesystem::path& folder);
  /// Of the path itself, without following a link. False also when it cannot be looked at.
  bool own(const std::filesystem::path& path) const;

 private:
  uid_t folders_owner_;
};

}  // namespace ralph
