#include "tool/quotes.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace ralph::tool {
namespace {

struct Quote {
  std::string_view typographic;
  char straight;
};
constexpr std::string_view kOpenSingle = "\u2018", kCloseSingle = "\u2019", kOpenDouble = "\u201C",
                           kCloseDouble = "\u201D";
constexpr std::array kQuotes{Quote{kOpenSingle, '\''}, Quote{kCloseSingle, '\''},
                             Quote{kOpenDouble, '"'}, Quote{kCloseDouble, '"'}};

/// A text with straight quotes, and how to get from a place in it to that in the original.
struct Straight {
  std::string text;
  std::vector<std::size_t> shortened;  // places in `text` of quotes that were three bytes

  std::size_t in_original(std::size_t at) const {
    const auto before = std::ranges::lower_bound(shortened, at) - shortened.begin();
    return at + 2 * static_cast<std::size_t>(before);
  }
};

Straight straight(std::string_view bytes) {
  Straight result;
  result.text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const auto* const quote = std::ranges::find_if(
        kQuotes, [&](const Quote& one) { return bytes.substr(at, 3) == one.typographic; });
    if (quote == kQuotes.end()) {
      result.text += bytes[at++];
    } else {
      result.shortened.push_back(result.text.size());
      result.text += quote->straight;
      at += 3;
    }
  }
  return result;
}

bool holds(std::string_view text, std::string_view open, std::string_view close) {
  return text.find(open) != std::string_view::npos || text.find(close) != std::string_view::npos;
}

bool is_letter(std::string_view text, std::size_t at) {
  if (at >= text.size()) return false;
  const auto c = static_cast<unsigned char>(text[at]);
  const auto lower = static_cast<unsigned char>(c | 0x20);
  return c >= 0x80 || (lower >= 'a' && lower <= 'z');
}

/// A quote opens at the start, behind a blank, a bracket or a dash.
bool opens(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const auto before = text.substr(0, at);
  return before.ends_with("\u2014") || before.ends_with("\u2013") ||
         std::string_view(" \t\n\r([{").find(before.back()) != std::string_view::npos;
}

}  // namespace

std::vector<Span> occurrences_by_quotes(std::string_view bytes, std::string_view old_text) {
  const auto file = straight(bytes);
  const auto wanted = straight(old_text);
  if (file.shortened.empty() && wanted.shortened.empty()) return {};
  auto found = occurrences(file.text, wanted.text);
  for (auto& span : found) span = {file.in_original(span.begin), file.in_original(span.end)};
  return found;
}

std::string with_quotes_of(std::string_view replaced_text, std::string_view new_text) {
  const bool doubles = holds(replaced_text, kOpenDouble, kCloseDouble);
  const bool singles = holds(replaced_text, kOpenSingle, kCloseSingle);
  std::string text;
  for (std::size_t at = 0; at < new_text.size(); ++at) {
    if (doubles && new_text[at] == '"') {
      text += opens(new_text, at) ? kOpenDouble : kCloseDouble;
    } else if (singles && new_text[at] == '\'') {
      const bool apostrophe = at > 0 && is_letter(new_text, at - 1) && is_letter(new_text, at + 1);
      text += !apostrophe && opens(new_text, at) ? kOpenSingle : kCloseSingle;
    } else {
      text += new_text[at];
    }
  }
  return text;
}

}  // namespace ralph::tool
