#pragma once
#include "agent/tool/tool.h"

namespace ralph::tool {

/// Finds files by a pattern of their names.
const Tool& glob_tool();

}  // namespace ralph::tool
