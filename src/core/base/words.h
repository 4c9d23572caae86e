#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace ralph {

/// The names of an enum's values in files and messages, in the order of the values.
template <typename Enum, std::size_t N>
struct Words {
  std::array<std::string_view, N> words;

  constexpr std::string_view of(Enum value) const { return words[static_cast<std::size_t>(value)]; }
  constexpr std::optional<Enum> find(std::string_view word) const {
    const auto found = std::ranges::find(words, word);
    if (found == words.end()) return std::nullopt;
    return static_cast<Enum>(found - words.begin());
  }
};

}  // namespace ralph
