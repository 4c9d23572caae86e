#include "ui/console/columns.h"

#include <algorithm>
#include <array>

namespace ralph::console {
namespace {

struct Range {
  char32_t first, last;
};

/// What terminals draw in two columns, or some of them do.
constexpr auto kWide = std::to_array<Range>({
    {0x1100, 0x115F},    // Hangul syllables in parts
    {0x231A, 0x23FF},    // clocks and keys
    {0x2600, 0x27BF},    // symbols and dingbats
    {0x2B1B, 0x2B55},    // squares, stars
    {0x2E80, 0x303E},    // CJK radicals and punctuation
    {0x3041, 0xA4CF},    // kana, CJK, Yi
    {0xA960, 0xA97C},    // Hangul
    {0xAC00, 0xD7A3},    // Hangul syllables
    {0xF900, 0xFAFF},    // CJK
    {0xFE30, 0xFE6F},    // CJK forms
    {0xFF01, 0xFF60},    // full width
    {0xFFE0, 0xFFE6},    // full width signs
    {0x16FE0, 0x18AFF},  // Tangut
    {0x1B000, 0x1B2FF},  // kana
    {0x1F000, 0x1FAFF},  // tiles, cards, emoji
    {0x20000, 0x3FFFD},  // CJK
});

struct CodePoint {
  char32_t value;
  std::size_t bytes;
};

/// The code point that begins at `at`. Bytes that are no UTF-8 come one by one.
CodePoint code_point(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t bytes = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (bytes == 1 || at + bytes > text.size()) return {first, 1};
  char32_t value = first & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    value = (value << 6) | (static_cast<unsigned char>(text[at + i]) & 0x3Fu);
  }
  return {value, bytes};
}

std::size_t width_of(char32_t value) {
  const auto range = std::ranges::lower_bound(kWide, value, {}, &Range::last);
  return range != kWide.end() && range->first <= value ? 2 : 1;
}

}  // namespace

std::size_t columns(std::string_view text) {
  std::size_t sum = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto next = code_point(text, at);
    sum += width_of(next.value);
    at += next.bytes;
  }
  return sum;
}

std::string cut_to_columns(std::string_view text, std::size_t most) {
  if (most == 0) return {};
  std::size_t sum = 0, fits = 0;  // fits: the bytes before a "…"
  for (std::size_t at = 0; at < text.size();) {
    const auto next = code_point(text, at);
    sum += width_of(next.value);
    if (sum > most) return std::string(text.substr(0, fits)) + "…";
    at += next.bytes;
    if (sum < most) fits = at;
  }
  return std::string(text);
}

}  // namespace ralph::console
