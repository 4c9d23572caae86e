#pragma once
#include "core/base/result.h"

namespace ralph {

/// Whether the disk is full, the quota is used up, or the file system is read-only. Other errors of Code::storage can be
/// caused by files that an agent created.
bool is_disk_full(const Error& error);

}  // namespace ralph
