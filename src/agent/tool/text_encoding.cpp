#include "agent/tool/text_encoding.h"

#include <array>
#include <cstddef>

#include "core/base/utf8.h"

namespace ralph::tool {
namespace {

using namespace std::string_view_literals;

/// Indexed by Encoding.
constexpr std::array kMarks{""sv, "\xEF\xBB\xBF"sv, "\xFF\xFE"sv, "\xFE\xFF"sv};

std::string_view mark_of(Encoding encoding) { return kMarks[static_cast<std::size_t>(encoding)]; }

char32_t unit(std::string_view bytes, std::size_t at, bool big) {
  const auto first = static_cast<unsigned char>(bytes[at]);
  const auto second = static_cast<unsigned char>(bytes[at + 1]);
  return static_cast<char32_t>(big ? first << 8 | second : second << 8 | first);
}

std::string from_utf16(std::string_view bytes, bool big) {
  std::string text;
  text.reserve(bytes.size());
  std::size_t at = 0;
  for (; at + 2 <= bytes.size(); at += 2) {
    auto code = unit(bytes, at, big);
    if (code >= 0xD800 && code < 0xDC00 && at + 4 <= bytes.size()) {
      const auto low = unit(bytes, at + 2, big);
      if (low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        at += 2;
      }
    }
    utf8::append(text, code);
  }
  if (at < bytes.size()) utf8::append(text, 0xFFFD);
  return text;
}

/// The code point at `at` of valid UTF-8; advances `at`.
char32_t take_code_point(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  char32_t code = first & (0x3Fu >> more);
  for (int i = 0; i < more; ++i) code = code << 6 | (static_cast<unsigned char>(text[at++]) & 0x3F);
  return code;
}

std::string to_utf16(std::string_view text, bool big) {
  std::string bytes;
  bytes.reserve(text.size() * 2);
  const auto add = [&](char32_t value) {
    const auto high = static_cast<char>(value >> 8 & 0xFF);
    const auto low = static_cast<char>(value & 0xFF);
    bytes += big ? high : low;
    bytes += big ? low : high;
  };
  for (std::size_t at = 0; at < text.size();) {
    const auto code = take_code_point(text, at);
    if (code < 0x10000) {
      add(code);
    } else {
      add(0xD800 + ((code - 0x10000) >> 10));
      add(0xDC00 + ((code - 0x10000) & 0x3FF));
    }
  }
  return bytes;
}

/// The number of bytes at the end that may be an incomplete code point.
std::size_t cut_bytes(std::string_view text) {
  for (std::size_t count = 1; count <= 3 && count <= text.size(); ++count) {
    const auto byte = static_cast<unsigned char>(text[text.size() - count]);
    if (byte < 0x80) return 0;
    if (byte < 0xC0) continue;
    const std::size_t length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    return count < length ? count : 0;
  }
  return 0;
}

}  // namespace

Encoding encoding_of(std::string_view bytes) {
  for (const auto encoding : {Encoding::utf8_marked, Encoding::utf16_little, Encoding::utf16_big}) {
    if (bytes.starts_with(mark_of(encoding))) return encoding;
  }
  return Encoding::utf8;
}

std::string decoded(std::string_view bytes, Encoding encoding) {
  bytes.remove_prefix(mark_of(encoding).size());
  if (!is_utf16(encoding)) return std::string(bytes);
  return from_utf16(bytes, encoding == Encoding::utf16_big);
}

std::string encoded(std::string_view text, Encoding encoding) {
  std::string bytes(mark_of(encoding));
  if (!is_utf16(encoding)) return bytes.append(text);
  const bool big = encoding == Encoding::utf16_big;
  return bytes + (utf8::valid(text) ? to_utf16(text, big) : to_utf16(utf8::repaired(text), big));
}

bool is_binary(std::string_view head) {
  constexpr std::size_t kHeadBytes = 8192;
  const auto encoding = encoding_of(head);
  head = head.substr(0, kHeadBytes);
  if (!is_utf16(encoding)) return head.find('\0') != std::string_view::npos;
  return decoded(head, encoding).find('\0') != std::string::npos;
}

void Utf8Check::feed(std::string_view piece) {
  if (!valid_ || piece.empty()) return;
  std::string joined;
  if (!rest_.empty()) {
    joined = rest_ + std::string(piece);
    piece = joined;
  }
  const auto cut = cut_bytes(piece);
  valid_ = utf8::valid(piece.substr(0, piece.size() - cut));
  rest_ = piece.substr(piece.size() - cut);
}

}  // namespace ralph::tool
