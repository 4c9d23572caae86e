#pragma once
#include "core/base/result.h"

namespace ralph::process {

/// Code::unavailable when this process may not open as many files as supervising an agent takes. Called before
/// anything is started: what fails for it later looks like the agent's fault.
Result<> check_descriptor_limit();

}  // namespace ralph::process
