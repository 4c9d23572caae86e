#pragma once
#include "core/base/result.h"

namespace ralph {

/// Whether a disk took no more: it is full, the quota is used up, or it is mounted read-only.
/// Other errors of Code::storage can be something that an agent put in the way.
bool is_disk_full(const Error& error);

}  // namespace ralph
