#include "core/json/mask.h"

#include <charconv>

#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/json/writer.h"

namespace ralph::json {
namespace {

/// Where the string that begins behind a quote ends: the position of its closing quote, or the end.
std::size_t string_end(std::string_view json, std::size_t at) {
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return std::min(at, json.size());
}

bool is_key(std::string_view json, std::size_t behind_quote) {
  const auto at = json.find_first_not_of(kBlanks, behind_quote);
  return at != std::string_view::npos && json[at] == ':';
}

/// The four hex digits behind "\u"; U+FFFD when they are not there.
char32_t hex_unit(std::string_view text, std::size_t at) {
  unsigned value = 0xFFFD;
  if (at + 4 <= text.size()) std::from_chars(text.data() + at, text.data() + at + 4, value, 16);
  return value;
}

/// Appends what the escape at `at` (a backslash) stands for; returns the position behind it.
std::size_t unescape(std::string_view text, std::size_t at, std::string& out) {
  constexpr std::string_view kNames = "bfnrt", kValues = "\b\f\n\r\t";
  const char name = at + 1 < text.size() ? text[at + 1] : '\\';
  if (name != 'u') {
    const auto found = kNames.find(name);
    out += found == std::string_view::npos ? name : kValues[found];
    return at + 2;
  }
  const char32_t first = hex_unit(text, at + 2);
  const bool pair = first >= 0xD800 && first < 0xDC00 &&
                    text.substr(std::min(at + 6, text.size())).starts_with("\\u");
  const char32_t second = pair ? hex_unit(text, at + 8) : 0;
  if (second >= 0xDC00 && second < 0xE000) {
    utf8::append(out, 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
    return at + 12;
  }
  utf8::append(out, first);
  return at + 6;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto next = std::min(text.find('\\', at), text.size());
    out.append(text.substr(at, next - at));
    at = next < text.size() ? unescape(text, next, out) : next;
  }
  return out;
}

/// Appends a string value, with its quotes. One that holds no secret keeps its spelling.
void append_masked(std::string& out, std::string_view raw, const Masker& masker) {
  const bool is_plain = raw.find('\\') == std::string_view::npos;
  const auto meant = is_plain ? std::string() : unescaped(raw);
  const auto text = is_plain ? raw : std::string_view(meant);
  if (masker.finds_secret(text)) return append_string(out, masker.mask(text));
  out += '"';
  out += raw;
  out += '"';
}

/// Whether escapes may stand for ordinary letters. The others a masker knows: it sees keys behind "\n" and
/// values as JSON spells them.
bool hides_letters(std::string_view text) {
  return text.find("\\u") != std::string_view::npos || text.find("\\/") != std::string_view::npos;
}

}  // namespace

std::string mask(std::string_view text, const Masker& masker) {
  if (!hides_letters(text) && !masker.finds_secret(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto quote = text.find('"', at);
    if (quote == std::string_view::npos) return out.append(text.substr(at));
    out.append(text.substr(at, quote - at));
    const auto end = string_end(text, quote + 1);
    if (end == text.size()) return out.append(text.substr(quote));
    if (is_key(text, end + 1)) {
      out.append(text.substr(quote, end + 1 - quote));
    } else {
      append_masked(out, text.substr(quote + 1, end - quote - 1), masker);
    }
    at = end + 1;
  }
  return out;
}

}  // namespace ralph::json
