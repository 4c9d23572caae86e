#pragma once
#include "agent/tool/tool.h"

namespace ralph::tool {

/// The tools ralph brings along; each lives as long as the program.
const Tool& bash_tool();
const Tool& edit_tool();
const Tool& glob_tool();
const Tool& grep_tool();
const Tool& read_tool();
const Tool& write_tool();

}  // namespace ralph::tool
