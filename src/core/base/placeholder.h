#pragma once
#include <sys/stat.h>

namespace ralph {

/// The mode of an empty folder that stands for a protected name that does not exist, while a command runs that must not
/// create it. No program makes a folder of this mode.
inline constexpr mode_t kPlaceholderMode = S_ISVTX | S_IRWXU | S_IXGRP | S_IXOTH;

inline bool is_placeholder(const struct stat& status) {
  return S_ISDIR(status.st_mode) && (status.st_mode & 07777) == kPlaceholderMode;
}

/// Whoever reads a file of that name takes it for missing.
bool is_placeholder(const char* path);

}  // namespace ralph
