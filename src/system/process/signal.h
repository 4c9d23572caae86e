#pragma once
#include <functional>

#include <sys/types.h>

#include "core/base/result.h"

namespace ralph::process {

/// Sends a signal to a process that is not ours to supervise. `still_it` is asked once the process is held fast: a number
/// may have become another's meanwhile. Code::not_found: it is gone, or is another one now.
Result<> signal_process(pid_t pid, int signal_number, const std::function<bool()>& still_it);

}  // namespace ralph::process
