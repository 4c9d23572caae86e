#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "agent/web/html_text.h"
#include "core/base/utf8.h"

namespace ralph::web {
namespace {

using Reference = std::pair<std::string_view, char32_t>;

/// The names that pages use most.
constexpr auto kNames = std::to_array<Reference>({
    {"amp", '&'},       {"apos", '\''},    {"bull", 0x2022},  {"cent", 0xA2},    {"copy", 0xA9},
    {"darr", 0x2193},   {"deg", 0xB0},     {"euro", 0x20AC},  {"ge", 0x2265},    {"gt", '>'},
    {"hellip", 0x2026}, {"laquo", 0xAB},   {"larr", 0x2190},  {"ldquo", 0x201C}, {"le", 0x2264},
    {"lsquo", 0x2018},  {"lt", '<'},       {"mdash", 0x2014}, {"middot", 0xB7},  {"minus", 0x2212},
    {"nbsp", ' '},      {"ndash", 0x2013}, {"ne", 0x2260},    {"para", 0xB6},    {"plusmn", 0xB1},
    {"pound", 0xA3},    {"quot", '"'},     {"raquo", 0xBB},   {"rarr", 0x2192},  {"rdquo", 0x201D},
    {"reg", 0xAE},      {"rsquo", 0x2019}, {"sect", 0xA7},    {"times", 0xD7},   {"trade", 0x2122},
    {"uarr", 0x2191},   {"Auml", 0xC4},    {"Ouml", 0xD6},    {"Uuml", 0xDC},    {"auml", 0xE4},
    {"eacute", 0xE9},   {"egrave", 0xE8},  {"ouml", 0xF6},    {"szlig", 0xDF},   {"uuml", 0xFC},
});
constexpr std::size_t kLongestReference = 10;

/// Without "&" and ";".
std::optional<char32_t> meaning_of(std::string_view name) {
  if (!name.starts_with('#')) {
    const auto* const found = std::ranges::find(kNames, name, &Reference::first);
    return found == kNames.end() ? std::nullopt : std::optional(found->second);
  }
  name.remove_prefix(1);
  const bool hex = name.starts_with('x') || name.starts_with('X');
  if (hex) name.remove_prefix(1);
  std::uint32_t number = 0;
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), number, hex ? 16 : 10);
  if (name.empty() || error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number == 0xA0 ? U' ' : static_cast<char32_t>(number == 0 ? 0xFFFD : number);
}

}  // namespace

std::string decode_references(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  while (!text.empty()) {
    const auto plain = text.substr(0, text.find('&'));
    decoded += plain;
    text.remove_prefix(plain.size());
    if (text.empty()) break;
    const auto end = text.substr(0, kLongestReference).find(';');
    const auto meaning = end == text.npos ? std::nullopt : meaning_of(text.substr(1, end - 1));
    if (meaning) utf8::append(decoded, *meaning);
    if (!meaning) decoded += '&';
    text.remove_prefix(meaning ? end + 1 : 1);
  }
  return decoded;
}

}  // namespace ralph::web
