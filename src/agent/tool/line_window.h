#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ralph::tool {

/// Extracts lines [first, first + count) of a text that arrives in pieces, and counts all lines. What follows the last
/// "\n" is a line too, even if empty. "\r\n" counts as "\n". Holds at most `max_bytes`.
class LineWindow {
 public:
  /// `first` counts from 1.
  LineWindow(std::uint64_t first, std::uint64_t count, std::size_t max_bytes);
  void feed(std::string_view piece);

  /// The lines of the window, joined by "\n".
  const std::string& text() const { return text_; }
  std::uint64_t taken() const { return taken_; }
  std::uint64_t total() const { return current_; }
  bool overflowed() const { return overflowed_; }
  /// All lines of the window have arrived.
  bool complete() const { return current_ >= first_ && !inside(); }

 private:
  bool inside() const { return current_ >= first_ && current_ - first_ < count_; }
  void keep(std::string_view part);
  void begin_line();

  std::uint64_t first_;
  std::uint64_t count_;
  std::size_t max_bytes_;
  std::uint64_t current_ = 1;
  std::string text_;
  std::uint64_t taken_ = 0;
  bool overflowed_ = false;
};

}  // namespace ralph::tool
