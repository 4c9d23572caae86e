#include "core/base/owner.h"

#include <sys/stat.h>
#include <unistd.h>

namespace ralph {

TrustedOwners::TrustedOwners(const std::filesystem::path& folder) : folders_owner_(::geteuid()) {
  struct stat info{};
  if (::stat(folder.c_str(), &info) == 0) folders_owner_ = info.st_uid;
}

bool TrustedOwners::own(const std::filesystem::path& path) const {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) return false;
  return info.st_uid == ::geteuid() || info.st_uid == 0 || info.st_uid == folders_owner_;
}

}  // namespace ralph
