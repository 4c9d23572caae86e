#pragma once
#include <sys/stat.h>

namespace ralph {

/// The mode of an empty directory that occupies a protected path that does not exist, so that a running command cannot
/// create it. No other program uses this mode.
inline constexpr mode_t kPlaceholderMode = S_ISVTX | S_IRWXU | S_IXGRP | S_IXOTH;

inline bool is_placeholder(const struct stat& status) {
  return S_ISDIR(status.st_mode) && (status.st_mode & 07777) == kPlaceholderMode;
}

/// Readers treat such a path as missing.
bool is_placeholder(const char* path);

}  // namespace ralph
