#include <charconv>

#include "agent/skills.h"
#include "agent/text.h"

namespace ralph::agent {
namespace {

constexpr std::string_view kAll = "$ARGUMENTS";

/// Divided by blanks, except within quotes.
std::vector<std::string> words_of(std::string_view arguments) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = 0;
  for (const char c : arguments) {
    const bool blank = quote == 0 && kBlanks.find(c) != kBlanks.npos;
    if (blank) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      words.back() += c;
    }
  }
  return words;
}

/// A number at the front of a text, and how long it is; length 0: there is none.
struct Number {
  std::size_t value = 0;
  std::size_t length = 0;
};

Number number_at(std::string_view text) {
  Number number;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (error == std::errc()) number.length = static_cast<std::size_t>(end - text.data());
  return number;
}

/// Replaces one place after the other.
class Filler {
 public:
  explicit Filler(std::string_view arguments) : all_(arguments), words_(words_of(arguments)) {}

  std::string fill(std::string_view text) {
    std::string out;
    while (!text.empty()) {
      const auto plain = text.substr(0, text.find('$'));
      out += plain;
      text.remove_prefix(plain.size());
      if (text.empty()) break;
      const auto length = place(text, out);
      if (length == 0) out += '$';
      text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
  }
  /// There was a place for arguments.
  bool used() const { return used_; }

 private:
  /// How much of the text the place at its front takes; 0: there is none that can be filled.
  std::size_t place(std::string_view text, std::string& out) {
    if (!text.starts_with(kAll)) return word(text, 1, "", out);
    const auto length = word(text, kAll.size() + 1, "]", out);
    if (text.substr(kAll.size()).starts_with('[')) return length;
    out += all_;
    used_ = true;
    return kAll.size();
  }

  std::size_t word(std::string_view text, std::size_t at, std::string_view close,
                   std::string& out) {
    if (text.size() <= at || (at > 1 && text[at - 1] != '[')) return 0;
    const auto number = number_at(text.substr(at));
    if (number.length == 0 || !text.substr(at + number.length).starts_with(close)) return 0;
    used_ = true;
    if (number.value >= words_.size()) return 0;
    out += words_[number.value];
    return at + number.length + close.size();
  }

  std::string_view all_;
  std::vector<std::string> words_;
  bool used_ = false;
};

}  // namespace

std::string with_arguments(std::string_view text, std::string_view arguments) {
  Filler filler(arguments);
  auto filled = filler.fill(text);
  if (!filler.used() && !arguments.empty()) filled.append("\n\nARGUMENTS: ").append(arguments);
  return filled;
}

}  // namespace ralph::agent
