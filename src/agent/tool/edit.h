#pragma once
#include "agent/tool/tool.h"

namespace ralph::tool {

/// Replaces an exact piece of a file's text; everything else keeps its bytes.
const Tool& edit_tool();

}  // namespace ralph::tool
