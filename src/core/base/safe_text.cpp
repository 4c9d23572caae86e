#include "core/base/safe_text.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/utf8.h"

namespace ralph {
namespace {

constexpr char kEscape = '\x1b';

bool is_control(char c) { return (c >= 0 && c < 0x20) || c == 0x7F; }
bool is_c1_lead(std::string_view text, std::size_t at) {
  return text[at] == '\xC2' && at + 1 < text.size() &&
         static_cast<unsigned char>(text[at + 1]) < 0xA0;
}

/// Length of a character that changes the direction of text: U+061C, U+200E, U+200F, U+202A–U+202E, U+2066–U+2069.
/// 0: it is none.
std::size_t direction_length(std::string_view text, std::size_t at) {
  if (text.substr(at).starts_with("\xD8\x9C")) return 2;
  if (text[at] != '\xE2' || at + 2 >= text.size()) return 0;
  const auto last = static_cast<unsigned char>(text[at + 2]);
  const bool mark =
      text[at + 1] == '\x80' && (last == 0x8E || last == 0x8F || (last >= 0xAA && last <= 0xAE));
  return mark || (text[at + 1] == '\x81' && last >= 0xA6 && last <= 0xA9) ? 3 : 0;
}

/// Length of a whole "ESC [ parameters final" sequence at `at`; 0: there is none.
std::size_t csi_length(std::string_view text, std::size_t at) {
  if (text[at] != kEscape || at + 1 >= text.size() || text[at + 1] != '[') return 0;
  std::size_t end = at + 2;
  while (end < text.size() && text[end] >= 0x20 && text[end] < 0x40) ++end;
  return end < text.size() && text[end] >= 0x40 && text[end] < 0x7F ? end + 1 - at : 0;
}

/// Length of the escape sequence at `at`: CSI, OSC up to BEL or ST, or a short one (ESC 7, ESC ( B). 0: there is none.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  if (const auto length = csi_length(text, at)) return length;
  if (text[at] != kEscape || at + 1 >= text.size() || text[at + 1] == '[') return 0;
  if (text[at + 1] == ']') {
    const auto end = text.find_first_of("\a\x1b", at + 2);
    if (end == text.npos) return 0;
    if (text[end] == '\a') return end + 1 - at;
    return text.substr(end).starts_with("\x1b\\") ? end + 2 - at : 0;
  }
  std::size_t end = at + 1;
  while (end < text.size() && text[end] >= 0x20 && text[end] < 0x30) ++end;
  return end < text.size() && text[end] >= 0x30 && text[end] < 0x7F ? end + 1 - at : 0;
}

/// Appends the harmless form of the control character at `at`; returns how many bytes that was.
std::size_t append_control(std::string& out, std::string_view text, std::size_t at) {
  if (const auto length = csi_length(text, at)) return length;
  if (text.substr(at).starts_with("\r\n")) {
    out += '\n';
    return 2;
  }
  const auto direction = direction_length(text, at);
  if (is_c1_lead(text, at) || direction > 0) {
    utf8::append(out, 0xFFFD);
    return direction > 0 ? direction : 2;
  }
  const char c = text[at];
  utf8::append(out, c == 0x7F ? 0x2421 : 0x2400 + static_cast<char32_t>(c));
  return 1;
}

bool is_unsafe(std::string_view text, std::size_t at) {
  const char c = text[at];
  return (is_control(c) && c != '\n' && c != '\t') || is_c1_lead(text, at) ||
         direction_length(text, at) > 0;
}

}  // namespace

std::string safe_text(std::string_view text) {
  if (!utf8::valid(text)) return safe_text(utf8::repaired(text));
  std::string out;
  out.reserve(text.size());
  std::size_t copied = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_unsafe(text, at)) {
      ++at;
      continue;
    }
    out.append(text.substr(copied, at - copied));
    at += append_control(out, text, at);
    copied = at;
  }
  return out.append(text.substr(copied));
}

bool is_terminal_control(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const bool blank = text[at] == ' ' || (is_control(text[at]) && text[at] != kEscape);
    const auto length = blank ? 1 : sequence_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string one_line(std::string text, std::size_t code_points) {
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return utf8::shortened(trim(text, " "), code_points);
}

}  // namespace ralph
