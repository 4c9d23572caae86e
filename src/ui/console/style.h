#pragma once
#include <string>
#include <string_view>

namespace ralph::console {

// All sequences that our views send to a terminal.
inline constexpr std::string_view kReset = "\x1b[0m";
inline constexpr std::string_view kDim = "\x1b[2m";
inline constexpr std::string_view kGreen = "\x1b[1;32m";
inline constexpr std::string_view kCyan = "\x1b[36m";
inline constexpr std::string_view kYellow = "\x1b[33m";
inline constexpr std::string_view kRed = "\x1b[1;31m";
inline constexpr std::string_view kEraseLine = "\r\x1b[K";

/// As safe_text(), but these sequences stay.
std::string safe_styled_text(std::string_view text);

}  // namespace ralph::console
