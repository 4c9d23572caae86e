#pragma once
#include <string>
#include <string_view>

namespace ralph {

inline constexpr std::string_view kBlanks = " \t\r\n";

/// The text without the characters of `blanks` at both ends.
std::string_view trim(std::string_view text, std::string_view blanks = kBlanks);
/// The same at the end only.
std::string_view trim_end(std::string_view text, std::string_view blanks = kBlanks);
bool is_blank(std::string_view text, std::string_view blanks = kBlanks);
/// Converts ASCII letters only.
std::string to_lower(std::string_view text);
/// Whether `word` is one of the words of `list`, which single spaces separate.
bool has_word(std::string_view list, std::string_view word);

}  // namespace ralph
