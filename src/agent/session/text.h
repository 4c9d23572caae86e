#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"

namespace ralph::agent {

inline constexpr std::string_view kBlanks = " \t\r\n";

inline bool is_blank(std::string_view text) {
  return text.find_first_not_of(kBlanks) == std::string_view::npos;
}

inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

inline Millis since(SteadyTime begin) {
  return std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - begin);
}

/// A text as JSON has it, with its quotes.
std::string json_string(std::string_view text);
/// ["a","b"]
std::string string_array(const std::vector<std::string>& texts);
/// [{"type":"text","text":…}]
std::string text_content(std::string_view text);

}  // namespace ralph::agent
