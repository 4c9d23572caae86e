#pragma once
#include <charconv>
#include <optional>
#include <string_view>
#include <type_traits>

namespace ralph {

/// Removes a number from the start of a text. nullopt: there is none, or it does not fit; the text stays as it is.
template <typename Number>
std::optional<Number> take_number(std::string_view& text, [[maybe_unused]] int base = 10) {
  Number value{};
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  std::from_chars_result read{};
  if constexpr (std::is_floating_point_v<Number>) {
    read = std::from_chars(begin, end, value);
  } else {
    read = std::from_chars(begin, end, value, base);
  }
  if (read.ec != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(read.ptr - begin));
  return value;
}

/// The number at the start of a text. nullopt: there is none, or it does not fit.
template <typename Number>
std::optional<Number> leading_number(std::string_view text) {
  return take_number<Number>(text);
}

/// The number that a whole text is. nullopt: it is none, or does not fit.
template <typename Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  const auto value = take_number<Number>(text, base);
  return text.empty() ? value : std::nullopt;
}

}  // namespace ralph
