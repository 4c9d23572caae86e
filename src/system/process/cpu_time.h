#pragma once
#include <sys/types.h>

#include "core/base/time.h"

namespace ralph::process {

/// Processor time used so far by a process and all its live descendants, including children they have
/// waited for. A sign of work that prints nothing. Zero: no such process.
Millis tree_cpu_time(pid_t root);

}  // namespace ralph::process
