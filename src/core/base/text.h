#pragma once
#include <string_view>

namespace ralph {

inline constexpr std::string_view kBlanks = " \t\r\n";

/// Without the characters of `blanks` at its beginning and end.
std::string_view trim(std::string_view text, std::string_view blanks = kBlanks);
/// The same at its end only.
std::string_view trim_end(std::string_view text, std::string_view blanks = kBlanks);
bool is_blank(std::string_view text, std::string_view blanks = kBlanks);

}  // namespace ralph
