#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace ralph::stream {

/// Cuts a byte stream into lines. Knows nothing of JSON.
/// Feed any chunks, then take lines with next(); a view is valid until the next call of either, and
/// at least kPadding bytes behind it may be read (parsers that work in blocks need that).
class LineSplitter {
 public:
  static constexpr std::size_t kPadding = 64;

  explicit LineSplitter(std::size_t max_line);
  ~LineSplitter();
  LineSplitter(LineSplitter&&) noexcept;
  LineSplitter& operator=(LineSplitter&&) noexcept;

  void feed(std::string_view chunk);
  /// Next complete line without its "\n" or "\r\n", and without the "show cursor" sequence that
  /// programs leave behind on a terminal; nullopt: feed more.
  std::optional<std::string_view> next();
  /// The last line when it has no newline; nullopt: there is none. Call when the input has ended.
  std::optional<std::string_view> rest();

  /// Number of the line last returned, from 1; skipped lines count.
  std::int64_t line_number() const { return line_number_; }
  /// Lines over max_line are skipped, not kept, and counted here.
  std::int64_t overlong() const { return overlong_; }

 private:
  void make_room(std::size_t bytes);
  void drop_line_so_far();
  void give_back();

  std::size_t max_line_;
  char* buffer_ = nullptr;  // malloc: realloc of a large block moves pages, not bytes
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;    // start of the line being collected
  std::size_t scanned_ = 0;  // no newline before this
  std::size_t end_ = 0;
  bool skipping_ = false;  // inside a line over max_line
  std::int64_t line_number_ = 0;
  std::int64_t overlong_ = 0;
};

}  // namespace ralph::stream
