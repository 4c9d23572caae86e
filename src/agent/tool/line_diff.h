#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/document.h"

namespace ralph::tool {

/// A part of a patch: lines with "-", "+" or " " before them, and "\ No newline at end of file" after a last line without
/// one. Starts count from 1.
struct Hunk {
  std::size_t old_start = 1;
  std::size_t old_lines = 0;
  std::size_t new_start = 1;
  std::size_t new_lines = 0;
  std::vector<std::string> lines;
};

/// A stretch of old lines that became a stretch of new ones; they count from 0.
struct Difference {
  std::size_t old_begin, old_end, new_begin, new_end;
};

/// What differs between two lists of lines, or of other pieces of a text: the fewest changes where the lists are near
/// each other; otherwise everything between their common start and end is one.
std::vector<Difference> differences(const std::vector<std::string_view>& before,
                                    const std::vector<std::string_view>& after);

/// What makes `before` into `after`, with three lines of context. The shortest where the texts are near each other;
/// otherwise everything between their common start and end is one change. Texts over 4 MB give no hunks.
std::vector<Hunk> line_diff(std::string_view before, std::string_view after);

/// The same as `structuredPatch`.
json::Document structured_patch(std::string_view before, std::string_view after);

}  // namespace ralph::tool
