#pragma once
#include "core/base/result.h"

namespace ralph::process {

/// Code::unavailable when the limit on open files is too low to supervise an agent. Called before
/// anything is started: what fails for it later looks like the agent's fault.
Result<> check_descriptor_limit();

}  // namespace ralph::process
