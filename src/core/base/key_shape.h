#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace ralph {

/// A set of bytes, asked like a predicate.
struct ByteSet {
  std::array<bool, 256> has{};

  constexpr void add(char c) { has[static_cast<unsigned char>(c)] = true; }
  constexpr bool operator()(char c) const { return has[static_cast<unsigned char>(c)]; }
};

/// A key found at the front of a text.
struct KeyShape {
  std::string_view name;   // "Anthropic API key"
  std::size_t shown = 0;   // bytes of public prefix
  std::size_t length = 0;  // bytes of prefix and secret
};

/// Whether a key begins exactly at the front of `text`; `before` is what precedes it. Keys begin at
/// the start of a word, also where JSON escapes ("\nsk-ant-…") or colour codes hide that. Constant
/// time for nearly every text; scanning a whole text position by position is linear.
/// `text` is not empty.
std::optional<KeyShape> key_shape_at(std::string_view text, std::string_view before);

/// The bytes a key can begin with: key_shape_at() finds nothing elsewhere.
const ByteSet& key_first_bytes();

}  // namespace ralph
