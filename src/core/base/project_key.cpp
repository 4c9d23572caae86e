#include "core/base/project_key.h"

#include <cctype>
#include <cstdint>
#include <string_view>

namespace ralph {
namespace {

constexpr std::size_t kLongestKey = 200;

/// The units of UTF-16, in which Claude Code counts; a byte that is no UTF-8 is one unit.
std::u16string to_utf16(std::string_view text) {
  std::u16string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (lead >= 0x80 && (lead < 0xC2 || lead > 0xF4 || i + size > text.size())) {
      out += u'\uFFFD';
      ++i;
      continue;
    }
    char32_t point = size == 1 ? lead : lead & (0xFFU >> (size + 1));
    for (std::size_t k = 1; k < size; ++k) {
      point = (point << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    }
    i += size;
    if (point < 0x10000) {
      out += static_cast<char16_t>(point);
    } else {
      out += static_cast<char16_t>(0xD800 + ((point - 0x10000) >> 10));
      out += static_cast<char16_t>(0xDC00 + ((point - 0x10000) & 0x3FF));
    }
  }
  return out;
}

std::string base36(std::uint32_t number) {
  std::string out;
  do {
    out.insert(out.begin(), "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]);
    number /= 36;
  } while (number > 0);
  return out;
}

/// Java's hash of a string, without its sign.
std::string hash_of(const std::u16string& text) {
  std::uint32_t hash = 0;
  for (const char16_t unit : text) hash = hash * 31 + unit;
  return base36(hash > 0x80000000U ? 0U - hash : hash);
}

}  // namespace

std::string project_key(const std::filesystem::path& real_path) {
  const auto units = to_utf16(real_path.native());
  std::string key;
  for (const char16_t unit : units) {
    const bool plain = unit < 0x80 && std::isalnum(static_cast<int>(unit)) != 0;
    key += plain ? static_cast<char>(unit) : '-';
  }
  if (key.size() <= kLongestKey) return key;
  return key.substr(0, kLongestKey) + "-" + hash_of(units);
}

}  // namespace ralph
