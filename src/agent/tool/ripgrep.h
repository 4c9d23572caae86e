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
  bool rejected = false;   // not started: `complaint` says why (bad pattern, unknown type)
  bool cut_short = false;  // the time limit was reached
  bool stopped = false;    // by the stop request
  std::string complaint;
};

/// `rg` in an absolute directory of PATH outside the working directories, where the model could have placed a program.
/// Empty: not found.
std::string find_ripgrep(const Workspace& workspace);

/// Runs ripgrep in an open directory, without a shell and without the user's ripgrep settings, and passes each output
/// line to `on_line`, as raw bytes without `end`. Lines over 64 KB are dropped. Fails if ripgrep is missing or cannot be
/// started. Time limit: CLAUDE_CODE_GLOB_TIMEOUT_SECONDS, default 20 s.
Result<Searched> search(const std::vector<std::string>& arguments, const OpenFolder& folder,
                        char end, const std::function<void(std::string_view)>& on_line,
                        const Workspace& workspace, const std::stop_token& stop);

/// A path as results show it: relative if it is in the current directory.
std::string shown_path(const std::filesystem::path& path, const std::filesystem::path& cwd);

/// Escapes a leading "!" or "#" of a pattern for `--glob`.
std::string literal_start(std::string_view pattern);

/// Why a pattern cannot be passed to ripgrep; empty: it can.
std::string bad_pattern(std::string_view pattern);

}  // namespace ralph::tool
