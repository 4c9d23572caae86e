#pragma once
#include "core/base/safe_text.h"

namespace ralph::console {

using ralph::one_line;
using ralph::safe_text;

// Code points of a line: of most, and of errors and warnings, which are shown whole unless they are a page of HTML.
inline constexpr std::size_t kShort = 200;
inline constexpr std::size_t kLong = 2000;

}  // namespace ralph::console
