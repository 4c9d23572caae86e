#include "bench/grade/edit_distance.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <vector>

#include "core/base/utf8.h"

namespace ralph::grade {
namespace {

/// Beyond this distance the bit-parallel method is tried instead.
constexpr std::size_t kMostDiagonals = 3000;

char32_t next_code_point(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  char32_t value = length == 1 ? first : first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    value = (value << 6) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  text.remove_prefix(length);
  return value;
}

/// How far a run of equal units reaches.
std::size_t matching(std::u16string_view a, std::u16string_view b) {
  const auto most = std::min(a.size(), b.size());
  std::size_t n = 0;
  while (n < most && a[n] == b[n]) ++n;
  return n;
}

/// The distance if it is at most `limit`: for each number of edits the furthest point reached on each diagonal.
std::optional<std::size_t> by_diagonals(std::u16string_view a, std::u16string_view b,
                                        std::size_t limit) {
  const auto rows = static_cast<std::ptrdiff_t>(a.size());
  const auto columns = static_cast<std::ptrdiff_t>(b.size());
  const auto most = static_cast<std::ptrdiff_t>(limit);
  const auto target = columns - rows;
  if (std::abs(target) > most) return std::nullopt;
  constexpr std::ptrdiff_t kNowhere = -2;
  std::vector<std::ptrdiff_t> before(static_cast<std::size_t>(2 * most + 3), kNowhere);
  auto after = before;
  const auto at = [most](std::vector<std::ptrdiff_t>& reached,
                         std::ptrdiff_t diagonal) -> std::ptrdiff_t& {
    return reached[static_cast<std::size_t>(diagonal + most + 1)];
  };
  for (std::ptrdiff_t edits = 0; edits <= most; ++edits) {
    for (auto diagonal = std::max(-edits, -rows); diagonal <= std::min(edits, columns);
         ++diagonal) {
      std::ptrdiff_t row = edits == 0 ? 0
                                      : std::max({at(before, diagonal) + 1,        // replace
                                                  at(before, diagonal - 1),        // insert
                                                  at(before, diagonal + 1) + 1});  // remove
      row = std::min({row, rows, columns - diagonal});
      if (row < 0 || row + diagonal < 0) {
        at(after, diagonal) = kNowhere;
        continue;
      }
      row +=
          static_cast<std::ptrdiff_t>(matching(a.substr(static_cast<std::size_t>(row)),
                                               b.substr(static_cast<std::size_t>(row + diagonal))));
      at(after, diagonal) = row;
      if (diagonal == target && row == rows) return static_cast<std::size_t>(edits);
    }
    std::swap(before, after);
  }
  return std::nullopt;
}

/// One column of 64 rows: the vertical differences of +1 and -1.
struct Block {
  std::uint64_t plus = ~std::uint64_t{0}, minus = 0;

  /// Advances by a unit; `carry` is the horizontal difference that comes in from above and goes out below.
  void advance(std::uint64_t equal, int& carry, std::uint64_t last) {
    const std::uint64_t matches = equal | minus;
    if (carry < 0) equal |= 1;
    const std::uint64_t zero = (((equal & plus) + plus) ^ plus) | equal;
    std::uint64_t right_plus = minus | ~(zero | plus);
    std::uint64_t right_minus = plus & zero;
    const int out = (right_plus & last) != 0 ? 1 : (right_minus & last) != 0 ? -1 : 0;
    right_plus <<= 1;
    right_minus <<= 1;
    if (carry > 0) right_plus |= 1;
    if (carry < 0) right_minus |= 1;
    plus = right_minus | ~(matches | right_plus);
    minus = right_plus & matches;
    carry = out;
  }
};

/// Myers' bit-parallel distance with blocks (Hyyrö): one block of the pattern after the other over the whole text, so that only
/// the differences between two blocks are kept.
std::size_t by_blocks(std::u16string_view pattern, std::u16string_view text,
                      const std::function<void(double)>& progress) {
  std::vector<std::uint64_t> equal(std::size_t{1} << 16);
  std::vector<std::int16_t> carries(text.size(), 1);
  auto distance = static_cast<std::ptrdiff_t>(pattern.size());
  for (std::size_t begin = 0; begin < pattern.size(); begin += 64) {
    const auto part = pattern.substr(begin, 64);
    for (std::size_t i = 0; i < part.size(); ++i) equal[part[i]] |= std::uint64_t{1} << i;
    const bool is_last = begin + 64 >= pattern.size();
    const std::uint64_t last = std::uint64_t{1} << (part.size() - 1);
    Block block;
    for (std::size_t i = 0; i < text.size(); ++i) {
      int carry = carries[i];
      block.advance(equal[text[i]], carry, last);
      carries[i] = static_cast<std::int16_t>(carry);
      if (is_last) distance += carry;
    }
    for (const char16_t unit : part) equal[unit] = 0;
    if (progress) progress(static_cast<double>(begin) / static_cast<double>(pattern.size()));
  }
  return static_cast<std::size_t>(distance);
}

}  // namespace

std::u16string to_utf16(std::string_view text) {
  std::string repaired;
  if (!utf8::valid(text)) {
    repaired = utf8::repaired(text);
    text = repaired;
  }
  std::u16string units;
  units.reserve(text.size());
  while (!text.empty()) {
    const auto code_point = next_code_point(text);
    if (code_point < 0x10000) {
      units += static_cast<char16_t>(code_point);
    } else {
      units += static_cast<char16_t>(0xD7C0 + (code_point >> 10));
      units += static_cast<char16_t>(0xDC00 + (code_point & 0x3FF));
    }
  }
  return units;
}

std::optional<std::size_t> bounded_levenshtein(std::u16string_view a, std::u16string_view b,
                                               double most_steps,
                                               const std::function<void(double)>& progress) {
  const auto front = matching(a, b);
  a.remove_prefix(front);
  b.remove_prefix(front);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  if (a.empty() || b.empty()) return a.size() + b.size();
  if (const auto distance =
          by_diagonals(a, b, std::min(kMostDiagonals, std::max(a.size(), b.size())))) {
    return distance;
  }
  if (static_cast<double>(a.size()) * static_cast<double>(b.size()) / 64 > most_steps) {
    return std::nullopt;
  }
  return a.size() <= b.size() ? by_blocks(a, b, progress) : by_blocks(b, a, progress);
}

std::size_t levenshtein(std::u16string_view a, std::u16string_view b) {
  return *bounded_levenshtein(a, b, std::numeric_limits<double>::infinity());
}

std::optional<double> similarity(std::u16string_view a, std::u16string_view b, double most_steps,
                                 const std::function<void(double)>& progress) {
  const auto longest = std::max(a.size(), b.size());
  if (longest == 0) return 1;
  const auto distance = bounded_levenshtein(a, b, most_steps, progress);
  if (!distance) return std::nullopt;
  return 1 - static_cast<double>(*distance) / static_cast<double>(longest);
}

}  // namespace ralph::grade
