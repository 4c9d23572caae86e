#pragma once
#include "agent/tool/tool.h"

namespace ralph::tool {

/// Finds text in files.
const Tool& grep_tool();

}  // namespace ralph::tool
