#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "agent/tool/workspace.h"

namespace ralph::tool {

/// How much of a long output a preview shows, as in Claude Code.
inline constexpr std::size_t kPreviewBytes = 2000;

/// The text itself; if it is longer than `most` bytes, it is saved to a file, and the result names the file and shows its
/// beginning. If it cannot be saved, it is cut with a note.
std::string persisted_if_long(std::string text, std::size_t most, const Workspace& workspace);

/// Without an incomplete last line, unless that is more than half of the text.
std::string_view whole_lines(std::string_view text);

}  // namespace ralph::tool
