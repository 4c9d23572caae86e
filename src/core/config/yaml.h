#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ralph::config {

inline constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxDepth = 100;
inline constexpr std::size_t kMaxNodes = 100'000;

/// One value of a YAML or JSON text. Scalars keep their text; the reader interprets it.
struct Node {
  enum class Kind { scalar, list, map };
  struct Key {
    std::string text;
    int line = 0;
  };

  Kind kind = Kind::scalar;
  std::string text;         // of a scalar
  bool quoted = false;      // "null" in quotes is a text
  int line = 0;             // 1 is the first; 0: not from a file
  std::vector<Key> keys;    // of a map, in order; keys[i] names items[i]
  std::vector<Node> items;  // of a list or a map

  /// An empty value, `~` or `null`.
  bool is_null() const;
  /// The value of a map's key; nullptr: there is none.
  const Node* find(std::string_view key) const;
};

/// Reads one document; an empty text is an empty map. Refuses duplicate keys, invalid UTF-8, control
/// characters, a second document, and more than the limits above. Errors: "NAME:LINE: what is wrong".
Result<Node> parse(std::string_view text, std::string_view name);

}  // namespace ralph::config
