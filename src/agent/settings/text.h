#pragma once
#include <string_view>

namespace ralph::settings {

inline constexpr std::string_view kBlanks = " \t\r\n";

inline bool is_blank(std::string_view text) {
  return text.find_first_not_of(kBlanks) == std::string_view::npos;
}

inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace ralph::settings
