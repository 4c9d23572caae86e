#pragma once
#include <functional>

#include <sys/types.h>

#include "core/base/result.h"

namespace ralph::process {

/// Sends a signal to a process that ralph does not supervise. `still_it` is called while a pidfd holds the process: its
/// pid may have been reused. Code::not_found: the process is gone, or the pid belongs to another one.
Result<> signal_process(pid_t pid, int signal_number, const std::function<bool()>& still_it);

}  // namespace ralph::process
