#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/document.h"

namespace ralph::tool {

/// A part of a patch: lines prefixed by "-", "+" or " ", and "\ No newline at end of file" after a last line without one.
/// Starts count from 1.
struct Hunk {
  std::size_t old_start = 1;
  std::size_t old_lines = 0;
  std::size_t new_start = 1;
  std::size_t new_lines = 0;
  std::vector<std::string> lines;
};

/// A range of old lines that was replaced by a range of new ones; counted from 0.
struct Difference {
  std::size_t old_begin, old_end, new_begin, new_end;
};

/// The differences between two lists of lines or other pieces of a text: the fewest changes if the lists are similar;
/// otherwise one change for everything between their common start and end.
std::vector<Difference> differences(const std::vector<std::string_view>& before,
                                    const std::vector<std::string_view>& after);

/// The patch from `before` to `after`, with three lines of context (see differences()). None for texts over 4 MB.
std::vector<Hunk> line_diff(std::string_view before, std::string_view after);

/// The same as JSON, in the form of Claude Code's `structuredPatch`.
json::Document structured_patch(std::string_view before, std::string_view after);

}  // namespace ralph::tool
