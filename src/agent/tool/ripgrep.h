#pragma once
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/tool/safe_file.h"
#include "agent/tool/workspace.h"
#include "core/base/result.h"

namespace ralph::tool {

/// How a search ended.
struct Searched {
  bool rejected = false;  // it was not begun: `complaint` says why (a bad pattern, an unknown type)
  bool cut_short = false;  // it ran into the time limit
  bool stopped = false;    // by the stop request
  std::string complaint;
};

/// In an absolute folder of PATH that no tool can write to: a program in a working folder may be the model's own work.
/// Empty: there is none.
std::string find_ripgrep(const Workspace& workspace);

/// Runs ripgrep in an open folder, without a shell and without its user's settings, and hands over its output line by
/// line, bytes as they are, without their `end`. A line over 64 KB is dropped. No ripgrep, or arguments
/// it cannot be given, are errors.
/// CLAUDE_CODE_GLOB_TIMEOUT_SECONDS is the time limit, 20 s without it.
Result<Searched> search(const std::vector<std::string>& arguments, const OpenFolder& folder,
                        char end, const std::function<void(std::string_view)>& on_line,
                        const Workspace& workspace, const std::stop_token& stop);

/// A path as results show it: relative where it is in the current folder.
std::string shown_path(const std::filesystem::path& path, const std::filesystem::path& cwd);

/// A pattern of file names for `--glob`, as text: no "!" or "#" at its start means anything.
std::string literal_start(std::string_view pattern);

/// Empty: it can be passed to a program. Otherwise why not.
std::string bad_pattern(std::string_view pattern);

}  // namespace ralph::tool
