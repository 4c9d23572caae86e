#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ralph {

/// The last `most` bytes of a text that arrives in pieces. Uses at most three times as much memory, whatever arrives.
class TextTail {
 public:
  explicit TextTail(std::size_t most) : most_(most) {}

  void add(std::string_view bytes);
  void clear();
  /// Begins at a code point; valid until the next add().
  std::string_view text() const;
  /// Whether anything was dropped.
  bool cut() const { return total_ > most_; }

 private:
  std::size_t most_;
  std::size_t total_ = 0;
  std::string kept_;
};

}  // namespace ralph
