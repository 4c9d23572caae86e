#include "core/base/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace ralph::utf8 {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Length of the well-formed sequence at the front of `text`; 0 when there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text[i])) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  const bool surrogate = lead == 0xED && second > 0x9F;
  const bool too_high = lead == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_high ? 0 : length;
}

/// How many bytes at the front are plain ASCII.
std::size_t ascii_run(std::string_view text) {
  std::size_t i = 0;
  for (std::uint64_t block = 0; i + 8 <= text.size(); i += 8) {
    std::memcpy(&block, text.data() + i, 8);
    if (block & 0x8080808080808080ULL) break;
  }
  while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
  return i;
}

}  // namespace

bool valid(std::string_view text) {
  while (!text.empty()) {
    text.remove_prefix(ascii_run(text));
    if (text.empty()) return true;
    const auto length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string repaired(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto plain = ascii_run(text);
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const auto length = sequence_length(text);
    out.append(length == 0 ? kReplacement : text.substr(0, length));
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::size_t count(std::string_view text) {
  std::size_t points = 0;
  while (!text.empty()) {
    const auto plain = ascii_run(text);
    points += plain;
    text.remove_prefix(plain);
    if (text.empty()) break;
    ++points;
    text.remove_prefix(std::max<std::size_t>(1, sequence_length(text)));
  }
  return points;
}

std::string_view prefix(std::string_view text, std::size_t bytes) {
  if (bytes >= text.size()) return text;
  // Text that is not UTF-8 is cut anywhere, so that a caller always gets on.
  auto cut = bytes;
  while (cut > 0 && bytes - cut < 3 && continues(text[cut])) --cut;
  return text.substr(0, continues(text[cut]) ? bytes : cut);
}

std::string_view suffix(std::string_view text, std::size_t bytes) {
  if (bytes >= text.size()) return text;
  text.remove_prefix(text.size() - bytes);
  while (!text.empty() && continues(text.front())) text.remove_prefix(1);
  return text;
}

std::string shortened(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (; count > 0 && end < text.size(); --count) {
    end += std::max<std::size_t>(1, sequence_length(text.substr(end)));
  }
  return std::string(text.substr(0, end)) + (end < text.size() ? "…" : "");
}

void append(std::string& out, char32_t c) {
  if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) {
    out += kReplacement;
  } else if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

}  // namespace ralph::utf8
