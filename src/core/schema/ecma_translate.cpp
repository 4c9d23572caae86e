#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "core/base/utf8.h"
#include "core/schema/ecma_pattern.h"
#include "core/schema/ecma_tables_impl.h"

namespace ralph::schema {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::optional<char32_t> hex_value(std::string_view digits) {
  if (digits.empty()) return std::nullopt;
  char32_t value = 0;
  for (const char c : digits) {
    const auto lower = static_cast<char>(c | 0x20);
    if (!is_digit(c) && (lower < 'a' || lower > 'f')) return std::nullopt;
    value = value * 16 + static_cast<char32_t>(is_digit(c) ? c - '0' : lower - 'a' + 10);
    if (value > 0x10FFFF) return std::nullopt;
  }
  return value;
}

std::string point_text(char32_t point) {
  const bool plain = point < 0x80 && (is_digit(static_cast<char>(point)) ||
                                      is_letter(static_cast<char>(point)) || point == '_');
  if (plain) return std::string(1, static_cast<char>(point));
  return fmt::format("\\x{{{:x}}}", static_cast<std::uint32_t>(point));
}

/// "\p{…}" for the inside of ECMA's braces: "Lu", "Letter", "gc=Letter", "Script=Greek", "Alphabetic".
std::string property_text(char letter, std::string_view inside) {
  std::string_view prefix;
  if (const auto equal = inside.find('='); equal != inside.npos) {
    const auto kind = inside.substr(0, equal);
    inside.remove_prefix(equal + 1);
    if (kind == "Script" || kind == "sc") prefix = "sc:";
    if (kind == "Script_Extensions" || kind == "scx") prefix = "scx:";
  }
  const auto found = std::ranges::find(kCategories, inside, &Category::name);
  if (prefix.empty() && found != kCategories.end()) inside = found->brief;
  return fmt::format("\\{}{{{}{}}}", letter, prefix, inside);
}

/// One member of a class, or one escape: a code point, or a set as it is written between brackets.
struct Atom {
  std::optional<char32_t> point;
  std::string set;
};

class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) { find_groups(); }

  Result<std::string> run() {
    while (at_ < pattern_.size()) TRY(term());
    if (open_ > 0) return mistake("a group is not closed");
    return std::move(out_);
  }

 private:
  std::unexpected<Error> mistake(std::string_view what) const {
    return fail(Code::malformed,
                fmt::format("{} at character {}", what, utf8::count(pattern_.substr(0, at_)) + 1));
  }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? pattern_[at_ + ahead] : '\0';
  }
  bool next_is(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }
  bool take(std::string_view text) {
    if (!next_is(text)) return false;
    at_ += text.size();
    return true;
  }
  /// What stands before `end`, which is taken too; nullopt: there is no `end`.
  std::optional<std::string_view> take_until(char end) {
    const auto stop = pattern_.find(end, at_);
    if (stop == pattern_.npos) return std::nullopt;
    const auto text = pattern_.substr(at_, stop - at_);
    at_ = stop + 1;
    return text;
  }
  void emit(std::string_view text, bool repeatable) {
    out_ += text;
    repeatable_ = repeatable;
  }

  /// Counts the groups and learns their names; only who is referred to needs to capture.
  void find_groups() {
    bool in_class = false;
    for (std::size_t i = 0; i < pattern_.size(); ++i) {
      const char c = pattern_[i];
      const char next = i + 1 < pattern_.size() ? pattern_[i + 1] : '\0';
      if (c == '\\') {
        captures_ |= !in_class && ((next >= '1' && next <= '9') || next == 'k');
        ++i;
      } else if (in_class) {
        in_class = c != ']';
      } else if (c == '[') {
        in_class = true;
      } else if (c == '(') {
        note_group(pattern_.substr(i + 1));
      }
    }
  }
  void note_group(std::string_view rest) {
    if (!rest.starts_with('?')) {
      names_.emplace_back();
    } else if (is_named(rest)) {
      names_.push_back(rest.substr(2, rest.find('>') - 2));
    }
  }
  static bool is_named(std::string_view rest) {
    return rest.starts_with("?<") && !rest.starts_with("?<=") && !rest.starts_with("?<!") &&
           rest.find('>') != rest.npos && rest.find('>') > 2;
  }

  Result<> term() {
    const char c = peek();
    switch (c) {
      case '\\': return escape();
      case '[': return char_class();
      case '(': return open_group();
      case ')': return close_group();
      case '*':
      case '+':
      case '?': return quantifier(1);
      case '{': return brace();
      case '.': ++at_, emit(kAnyButLineEnd, true); return {};
      case '^':
      case '$':
      case '|': ++at_, emit(std::string_view(&c, 1), false); return {};
      case ']':
      case '}': ++at_, emit(point_text(static_cast<char32_t>(c)), true); return {};
      default: ++at_, emit(std::string_view(&c, 1), true); return {};
    }
  }

  Result<> open_group() {
    ++at_;
    ++open_;
    for (const std::string_view start : {"?:", "?=", "?!", "?<=", "?<!"}) {
      if (take(start)) return emit("(", false), emit(start, false), Result<>{};
    }
    if (is_named(pattern_.substr(at_))) {
      take_until('>');
    } else if (peek() == '?' || peek() == '*') {
      return mistake("this kind of group does not exist");
    }
    emit(captures_ ? "(" : "(?:", false);
    return {};
  }

  Result<> close_group() {
    if (open_ == 0) return mistake("')' closes nothing");
    --open_;
    ++at_;
    emit(")", true);
    return {};
  }

  Result<> quantifier(std::size_t length) {
    if (!repeatable_) return mistake("there is nothing to repeat");
    emit(pattern_.substr(at_, length), false);
    at_ += length;
    if (take("?")) out_ += '?';
    return {};
  }

  /// A "{" that starts no quantifier stands for itself.
  Result<> brace() {
    auto end = at_ + 1;
    const auto digits = [&] {
      const auto begin = end;
      while (end < pattern_.size() && is_digit(pattern_[end])) ++end;
      return end > begin;
    };
    bool good = digits();
    if (good && end < pattern_.size() && pattern_[end] == ',') ++end, digits();
    good = good && end < pattern_.size() && pattern_[end] == '}';
    if (good) return quantifier(end + 1 - at_);
    ++at_;
    emit("\\{", true);
    return {};
  }

  Result<> escape() {
    if (at_ + 1 >= pattern_.size()) return mistake("nothing follows the backslash");
    const char c = peek(1);
    if (c == 'b' || c == 'B') {
      at_ += 2;
      emit(c == 'b' ? "\\b" : "\\B", false);
      return {};
    }
    if (c >= '1' && c <= '9') return back_reference();
    if (next_is("\\k<")) return named_reference();
    TRY_ASSIGN(const auto atom, escaped_atom());
    emit(atom.point ? point_text(*atom.point) : "[" + atom.set + "]", true);
    return {};
  }

  Result<> back_reference() {
    ++at_;
    std::size_t number = 0;
    for (; is_digit(peek()) && number < 10'000; ++at_) {
      number = number * 10 + static_cast<std::size_t>(peek() - '0');
    }
    if (number > names_.size()) return mistake("a reference to a group that does not exist");
    emit(fmt::format("\\g{{{}}}", number), true);
    return {};
  }

  Result<> named_reference() {
    at_ += 3;
    const auto name = take_until('>');
    const auto found = name ? std::ranges::find(names_, *name) : names_.end();
    if (found == names_.end() || name->empty()) {
      return mistake("a reference to a group that does not exist");
    }
    emit(fmt::format("\\g{{{}}}", found - names_.begin() + 1), true);
    return {};
  }

  /// At a backslash, which something follows: every escape that means characters.
  Result<Atom> escaped_atom() {
    ++at_;
    const char c = peek();
    for (const auto& known : kClassEscapes) {
      if (known.letter == c) return ++at_, Atom{{}, std::string(known.members)};
    }
    for (const auto& known : kControlEscapes) {
      if (known.letter == c) return ++at_, Atom{known.point, {}};
    }
    switch (c) {
      case 'p':
      case 'P': return property();
      case 'u': return unicode();
      case 'x': return ++at_, Atom{fixed_hex(2).value_or('x'), {}};
      case 'c': return control();
      case '0': return ++at_, Atom{char32_t{0}, {}};
      default: return Atom{literal(), {}};
    }
  }

  Result<Atom> property() {
    const char letter = peek();
    ++at_;
    if (!take("{")) return mistake("\\p needs a name in braces");
    const auto inside = take_until('}');
    const auto good = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '='; };
    if (!inside || inside->empty() || !std::ranges::all_of(*inside, good)) {
      return mistake("\\p needs a name in braces");
    }
    return Atom{{}, property_text(letter, *inside)};
  }

  Result<Atom> control() {
    if (!is_letter(peek(1))) return Atom{U'\\', {}};  // the "c" is read next
    const auto point = static_cast<char32_t>(peek(1) & 0x1f);
    at_ += 2;
    return Atom{point, {}};
  }

  Result<Atom> unicode() {
    ++at_;
    if (take("{")) {
      const auto inside = take_until('}');
      const auto point = inside ? hex_value(*inside) : std::nullopt;
      if (!point) return mistake("\\u{…} needs a code point");
      return Atom{point, {}};
    }
    const auto high = fixed_hex(4);
    if (!high) return Atom{U'u', {}};
    const auto before_low = at_;
    if (*high >= 0xD800 && *high <= 0xDBFF && take("\\u")) {
      const auto low = fixed_hex(4);
      if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
        return Atom{0x10000 + ((*high - 0xD800) << 10) + (*low - 0xDC00), {}};
      }
      at_ = before_low;
    }
    return Atom{high, {}};
  }

  std::optional<char32_t> fixed_hex(std::size_t digits) {
    if (pattern_.size() - at_ < digits) return std::nullopt;
    const auto value = hex_value(pattern_.substr(at_, digits));
    if (value) at_ += digits;
    return value;
  }

  /// The code point that stands here, of a pattern that is UTF-8.
  char32_t literal() {
    const auto first = static_cast<unsigned char>(pattern_[at_++]);
    if (first < 0x80) return first;
    char32_t point = first & (first >= 0xF0 ? 0x07U : first >= 0xE0 ? 0x0FU : 0x1FU);
    while ((static_cast<unsigned char>(peek()) & 0xC0) == 0x80) {
      point = (point << 6) | (static_cast<unsigned char>(pattern_[at_++]) & 0x3FU);
    }
    return point;
  }

  Result<Atom> class_atom() {
    if (peek() != '\\') return Atom{literal(), {}};
    if (at_ + 1 >= pattern_.size()) return mistake("nothing follows the backslash");
    if (peek(1) == 'b') return at_ += 2, Atom{U'\b', {}};
    return escaped_atom();
  }

  Result<> char_class() {
    ++at_;
    const bool negated = take("^");
    if (take("]")) return emit(negated ? kAnything : kNothing, true), Result<>{};
    emit(negated ? "[^" : "[", true);
    while (!take("]")) {
      if (at_ >= pattern_.size()) return mistake("'[' is not closed");
      TRY(class_range());
    }
    out_ += ']';
    return {};
  }

  Result<> class_range() {
    TRY_ASSIGN(const auto first, class_atom());
    if (peek() != '-' || peek(1) == ']' || at_ + 1 >= pattern_.size()) return emit_atom(first);
    ++at_;
    TRY_ASSIGN(const auto last, class_atom());
    if (!first.point || !last.point) {  // "[\w-z]": the hyphen stands for itself
      TRY(emit_atom(first));
      out_ += "\\-";
      return emit_atom(last);
    }
    if (*first.point > *last.point) return mistake("a range is out of order");
    out_ += point_text(*first.point) + "-" + point_text(*last.point);
    return {};
  }

  Result<> emit_atom(const Atom& atom) {
    out_ += atom.point ? point_text(*atom.point) : atom.set;
    return {};
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::string out_;
  std::vector<std::string_view> names_;  // of the groups, in order; "" for one without
  bool captures_ = false;
  bool repeatable_ = false;
  std::size_t open_ = 0;
};

}  // namespace

Result<std::string> translate_ecma_pattern(std::string_view pattern) {
  if (!utf8::valid(pattern)) return fail(Code::malformed, "it is not UTF-8");
  return Translator(pattern).run();
}

}  // namespace ralph::schema
