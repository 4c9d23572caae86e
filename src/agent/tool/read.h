#pragma once
#include "agent/tool/tool.h"

namespace ralph::tool {

/// Shows a text file with line numbers, or a picture. Never waits, whatever the path names; memory stays bounded.
const Tool& read_tool();

}  // namespace ralph::tool
