#include "harness/stream/line_splitter.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace ralph::stream {
namespace {

constexpr std::size_t kSmallestBuffer = std::size_t{64} << 10;
constexpr std::size_t kKeepCapacity = std::size_t{1}
                                      << 20;  // larger buffers are given back when empty
constexpr std::string_view kShowCursor = "\x1b[?25h";

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view trimmed(std::string_view line) {
  line = without_return(line);
  if (line.starts_with(kShowCursor)) line.remove_prefix(kShowCursor.size());
  if (!line.ends_with(kShowCursor)) return line;
  line.remove_suffix(kShowCursor.size());
  return without_return(line);
}

}  // namespace

LineSplitter::LineSplitter(std::size_t max_line) : max_line_(max_line) {}

LineSplitter::~LineSplitter() { std::free(buffer_); }

LineSplitter::LineSplitter(LineSplitter&& other) noexcept : max_line_(other.max_line_) {
  *this = std::move(other);
}

LineSplitter& LineSplitter::operator=(LineSplitter&& other) noexcept {
  std::swap(max_line_, other.max_line_);
  std::swap(buffer_, other.buffer_);
  std::swap(capacity_, other.capacity_);
  std::swap(begin_, other.begin_);
  std::swap(scanned_, other.scanned_);
  std::swap(end_, other.end_);
  std::swap(skipping_, other.skipping_);
  std::swap(line_number_, other.line_number_);
  std::swap(overlong_, other.overlong_);
  return *this;
}

void LineSplitter::feed(std::string_view chunk) {
  if (skipping_) {
    const auto newline = chunk.find('\n');
    if (newline == std::string_view::npos) return;
    skipping_ = false;
    chunk.remove_prefix(newline + 1);
  }
  if (chunk.empty()) return;
  make_room(chunk.size());
  std::memcpy(buffer_ + end_, chunk.data(), chunk.size());
  end_ += chunk.size();
}

std::optional<std::string_view> LineSplitter::next() {
  while (scanned_ < end_) {
    const void* found = std::memchr(buffer_ + scanned_, '\n', end_ - scanned_);
    if (found == nullptr) {
      scanned_ = end_;
      break;
    }
    const auto newline = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_);
    const std::string_view line(buffer_ + begin_, newline - begin_);
    begin_ = scanned_ = newline + 1;
    ++line_number_;
    if (line.size() <= max_line_) return trimmed(line);
    ++overlong_;
  }
  if (end_ - begin_ > max_line_) drop_line_so_far();
  return std::nullopt;
}

std::optional<std::string_view> LineSplitter::rest() {
  const std::string_view line(buffer_ + begin_, end_ - begin_);
  begin_ = scanned_ = end_;
  if (line.empty()) return std::nullopt;
  ++line_number_;
  return trimmed(line);
}

void LineSplitter::drop_line_so_far() {
  ++overlong_;
  ++line_number_;
  skipping_ = true;
  begin_ = scanned_ = end_ = 0;
  if (capacity_ > kKeepCapacity) give_back();
}

void LineSplitter::give_back() {
  std::free(buffer_);
  buffer_ = nullptr;
  capacity_ = 0;
}

/// Room for more bytes behind end_, and for the padding.
void LineSplitter::make_room(std::size_t bytes) {
  const std::size_t kept = end_ - begin_;
  const std::size_t needed = kept + bytes + kPadding;
  if (kept == 0) {
    begin_ = scanned_ = end_ = 0;
    if (capacity_ > kKeepCapacity && needed <= kKeepCapacity) give_back();
  }
  if (buffer_ != nullptr && end_ + bytes + kPadding <= capacity_) return;
  if (buffer_ != nullptr && begin_ > 0) {
    std::memmove(buffer_, buffer_ + begin_, kept);
    scanned_ -= begin_;
    end_ = kept;
    begin_ = 0;
    if (needed <= capacity_) return;
  }
  const std::size_t wanted = std::max({kSmallestBuffer, needed, capacity_ * 2});
  auto* grown = static_cast<char*>(std::realloc(buffer_, wanted));
  if (grown == nullptr) throw std::bad_alloc();
  buffer_ = grown;
  capacity_ = wanted;
}

}  // namespace ralph::stream
