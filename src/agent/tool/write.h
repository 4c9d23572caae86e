#pragma once
#include "agent/tool/tool.h"

namespace ralph::tool {

/// Makes a file hold what the model says, whole.
const Tool& write_tool();

}  // namespace ralph::tool
