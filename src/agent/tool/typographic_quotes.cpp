#include "agent/tool/typographic_quotes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "agent/tool/line_diff.h"

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

/// A text with straight quotes, with a mapping of positions to the original.
struct Straight {
  std::string text;
  std::vector<std::size_t> shortened;  // positions in `text` of quotes that had three bytes

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

/// A quote opens at the start and after a blank, a bracket or a dash.
bool opens(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const auto before = text.substr(0, at);
  return before.ends_with("\u2014") || before.ends_with("\u2013") ||
         std::string_view(" \t\n\r([{").find(before.back()) != std::string_view::npos;
}

/// Longer texts are not searched for unchanged quotes.
constexpr std::size_t kMostCompared = std::size_t{64} << 10;
constexpr auto kNone = std::numeric_limits<std::size_t>::max();
constexpr auto kStraight = kNone - 1;

using Pieces = std::vector<std::string_view>;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Words and blanks, without "\r": the new text has none yet.
Pieces words_of(std::string_view text) {
  Pieces words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (!is_blank(text[at]) && end < text.size() && !is_blank(text[end])) ++end;
    if (text[at] != '\r') words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

/// Groups of letters, and single other bytes.
Pieces letter_groups(std::string_view text) {
  Pieces parts;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (is_letter(text, at) && is_letter(text, end)) ++end;
    parts.push_back(text.substr(at, end - at));
    at = end;
  }
  return parts;
}

/// The text from the first of these pieces to the last.
std::string_view stretch(const Pieces& pieces, std::size_t begin, std::size_t end) {
  if (begin == end) return {};
  return {pieces[begin].begin(), pieces[end - 1].end()};
}

/// Finds which bytes of a new text with straight quotes are unchanged from an old one.
class UnchangedBytes {
 public:
  UnchangedBytes(const Straight& old_text, std::string_view new_text)
      : old_(old_text), new_(new_text.data()), places_(new_text.size(), kNone) {
    const auto before = words_of(old_text.text), after = words_of(new_text);
    std::size_t old_at = 0, new_at = 0;
    const auto keep_until = [&](std::size_t end) {
      for (; new_at < end; ++new_at) keep(before[old_at++], after[new_at]);
    };
    for (const auto& change : differences(before, after)) {
      keep_until(change.new_begin);
      compare(stretch(before, change.old_begin, change.old_end),
              stretch(after, change.new_begin, change.new_end));
      old_at = change.old_end;
      new_at = change.new_end;
    }
    keep_until(after.size());
  }

  /// The position in the old text; kNone: new; kStraight: a new quote among straight ones.
  std::size_t place(std::size_t at) const { return places_[at]; }

 private:
  void keep(std::string_view old_piece, std::string_view new_piece) {
    const auto old_at = static_cast<std::size_t>(old_piece.data() - old_.text.data());
    const auto new_at = static_cast<std::size_t>(new_piece.data() - new_);
    for (std::size_t i = 0; i < new_piece.size(); ++i) places_[new_at + i] = old_at + i;
  }

  /// Whether it has such quotes and all are straight.
  bool has_straight_only(std::string_view old_text, char quote) const {
    if (!old_text.contains(quote)) return false;
    const auto begin = static_cast<std::size_t>(old_text.data() - old_.text.data());
    const auto typographic_ones =
        std::ranges::subrange(std::ranges::lower_bound(old_.shortened, begin),
                              std::ranges::lower_bound(old_.shortened, begin + old_text.size()));
    return std::ranges::none_of(typographic_ones,
                                [&](std::size_t at) { return old_.text[at] == quote; });
  }

  void mark_straight(std::string_view new_text, char quote) {
    const auto begin = static_cast<std::size_t>(new_text.data() - new_);
    for (std::size_t i = 0; i < new_text.size(); ++i) {
      if (new_text[i] == quote) places_[begin + i] = kStraight;
    }
  }

  /// For changed words: a part is unchanged if the part before or after it is unchanged too.
  void compare(std::string_view old_text, std::string_view new_text) {
    for (const char quote : {'"', '\''}) {
      if (has_straight_only(old_text, quote)) mark_straight(new_text, quote);
    }
    const auto before = letter_groups(old_text), after = letter_groups(new_text);
    std::vector<std::size_t> kept(after.size(), kNone);
    std::size_t old_at = 0, new_at = 0;
    const auto keep_until = [&](std::size_t end) {
      for (; new_at < end; ++new_at) kept[new_at] = old_at++;
    };
    for (const auto& change : differences(before, after)) {
      keep_until(change.new_begin);
      old_at = change.old_end;
      new_at = change.new_end;
    }
    keep_until(after.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (kept[i] == kNone) continue;
      const bool first = i == 0 ? kept[i] == 0 : kept[i] > 0 && kept[i - 1] == kept[i] - 1;
      const bool last =
          i + 1 == kept.size() ? kept[i] + 1 == before.size() : kept[i + 1] == kept[i] + 1;
      if (first || last) keep(before[kept[i]], after[i]);
    }
  }

  const Straight& old_;
  const char* new_;
  std::vector<std::size_t> places_;
};

/// The typographic form of the straight quote at this position.
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
  const auto before = straight(compared ? replaced_text : "");
  const auto after = straight(new_text);
  const UnchangedBytes unchanged(before, after.text);
  std::string text;
  for (std::size_t at = 0; at < after.text.size(); ++at) {
    const auto here = after.in_original(at);
    const auto next = after.in_original(at + 1);
    const auto old = unchanged.place(at);
    const bool is_quote = new_text[here] == '"' || new_text[here] == '\'';
    if (is_quote && old < kStraight) {
      const auto begin = before.in_original(old);
      text += replaced_text.substr(begin, before.in_original(old + 1) - begin);
    } else if (is_quote && old == kNone && (new_text[here] == '"' ? doubles : singles)) {
      text += typographic(new_text, here);
    } else {
      text += new_text.substr(here, next - here);
    }
  }
  return text;
}

}  // namespace ralph::tool
