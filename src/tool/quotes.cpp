#include "tool/quotes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "tool/line_diff.h"

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

const Quote* quote_at(std::string_view bytes, std::size_t at) {
  const auto* const found = std::ranges::find(kQuotes, bytes.substr(at, 3), &Quote::typographic);
  return found == kQuotes.end() ? nullptr : found;
}

Straight straight(std::string_view bytes) {
  Straight result;
  result.text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const auto* const quote = quote_at(bytes, at);
    if (quote == nullptr) {
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

/// Texts beyond it are not searched for quotes that did not change.
constexpr std::size_t kMostCompared = 64 * 1024;
constexpr auto kNone = std::numeric_limits<std::size_t>::max();

bool is_straight_quote(std::string_view text) { return text == "\"" || text == "'"; }

/// A text in words, quotes and single other bytes.
struct Pieces {
  std::vector<std::string_view> compared;  // quotes straight, line ends "\n"
  std::vector<std::string_view> written;   // as the text has them
};

Pieces pieces_of(std::string_view text) {
  Pieces pieces;
  const auto is_word = [&](std::size_t at) {
    const bool digit = at < text.size() && text[at] >= '0' && text[at] <= '9';
    return (digit || is_letter(text, at)) && quote_at(text, at) == nullptr;
  };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 1;
    const auto* const quote = quote_at(text, at);
    if (quote != nullptr) {
      length = quote->typographic.size();
    } else if (text.substr(at, 2) == "\r\n") {
      length = 2;
    } else {
      while (is_word(at + length - 1) && is_word(at + length)) ++length;
    }
    const auto piece = text.substr(at, length);
    pieces.written.push_back(piece);
    pieces.compared.push_back(quote != nullptr  ? std::string_view(&quote->straight, 1)
                              : piece == "\r\n" ? "\n"
                                                : piece);
    at += length;
  }
  return pieces;
}

/// For each piece of the new text the one of the old that stayed, or kNone.
std::vector<std::size_t> kept_pieces(const Pieces& before, const Pieces& after) {
  std::vector<std::size_t> kept(after.compared.size(), kNone);
  std::size_t old_at = 0, new_at = 0;
  const auto keep_until = [&](std::size_t end) {
    for (; new_at < end; ++new_at) kept[new_at] = old_at++;
  };
  for (const auto& change : differences(before.compared, after.compared)) {
    keep_until(change.new_begin);
    old_at = change.old_end;
    new_at = change.new_end;
  }
  keep_until(kept.size());
  return kept;
}

/// Not only such a quote stayed, but also what stands before or behind it.
bool stayed_in_place(const std::vector<std::size_t>& kept, std::size_t at, std::size_t old_size) {
  const auto old_at = kept[at];
  if (old_at == kNone) return false;
  const bool before = at == 0 ? old_at == 0 : old_at > 0 && kept[at - 1] == old_at - 1;
  const bool behind = at + 1 == kept.size() ? old_at + 1 == old_size : kept[at + 1] == old_at + 1;
  return before || behind;
}

/// A straight quote at this place as typographic.
std::string_view typographic(std::string_view text, std::size_t at) {
  if (text[at] == '"') return opens(text, at) ? kOpenDouble : kCloseDouble;
  const bool apostrophe = at > 0 && is_letter(text, at - 1) && is_letter(text, at + 1);
  return !apostrophe && opens(text, at) ? kOpenSingle : kCloseSingle;
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
  const bool compared = replaced_text.size() + new_text.size() <= kMostCompared;
  const auto before = pieces_of(compared ? replaced_text : "");
  const auto after = pieces_of(new_text);
  const auto kept = kept_pieces(before, after);
  std::string text;
  std::size_t at = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto piece = after.written[i];
    const bool is_typographic = piece == "\"" ? doubles : piece == "'" && singles;
    if (is_straight_quote(piece) && stayed_in_place(kept, i, before.written.size())) {
      text += before.written[kept[i]];
    } else {
      text += is_typographic ? typographic(new_text, at) : piece;
    }
    at += piece.size();
  }
  return text;
}

}  // namespace ralph::tool
