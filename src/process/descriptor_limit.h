#pragma once
#include "base/result.h"

namespace ralph::process {

/// Code::unavailable when this process may not open as many files as supervising an agent takes: said before anything is
/// started, so that what fails later is not taken for the agent's fault.
Result<> check_descriptor_limit();

}  // namespace ralph::process
