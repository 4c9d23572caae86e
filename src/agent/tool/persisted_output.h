#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "agent/tool/workspace.h"

namespace ralph::tool {

/// The text itself, or, when it is longer than `most` characters, where all of it was put and how it begins. Where it
/// cannot be put anywhere it is cut, and says so.
std::string persisted_if_long(std::string text, std::size_t most, const Workspace& workspace);

/// Without a last line that is cut, unless that is most of it.
std::string_view whole_lines(std::string_view text);

}  // namespace ralph::tool
