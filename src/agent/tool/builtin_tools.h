#pragma once
#include "agent/tool/tool.h"

namespace ralph::tool {

// The tools of the agent; each lives as long as the program.

/// Runs a command line with bash.
const Tool& bash_tool();
const Tool& foreground_bash_tool();
/// Replaces an exact piece of a file's text; all other bytes stay unchanged.
const Tool& edit_tool();
/// Finds files by name.
const Tool& glob_tool();
/// Searches the contents of files with ripgrep.
const Tool& grep_tool();
/// Changes one cell of a Jupyter notebook.
const Tool& notebook_edit_tool();
/// Shows a file: text with line numbers, pictures, PDF files, notebooks. Never blocks, whatever the path names; memory
/// stays bounded.
const Tool& read_tool();
/// Ends a background task.
const Tool& task_stop_tool();
/// Replaces the whole content of a file, or creates it.
const Tool& write_tool();

}  // namespace ralph::tool
