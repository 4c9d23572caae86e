#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "agent/instructions/skills.h"
#include "agent/permission/hidden_commands.h"
#include "core/base/number.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"

namespace ralph::instructions {
namespace {

constexpr std::string_view kAll = "$ARGUMENTS";
constexpr std::string_view kCommandBegins = "!`";
constexpr std::string_view kNameCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

/// Splits at blanks outside of quotes.
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

/// A number at the beginning of a text; length 0: none.
struct Number {
  std::size_t value = 0;
  std::size_t length = 0;
};

Number number_at(std::string_view text) {
  auto rest = text;
  const auto value = take_number<std::size_t>(rest);
  return {value.value_or(0), text.size() - rest.size()};
}

/// Quotes a word for the shell.
std::string quoted(std::string_view word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string_view("'\\''") : std::string_view(&c, 1);
  return out + "'";
}

/// The quoting state of a shell command.
struct Quoting {
  char open = 0;     // the quote; 0: outside
  bool odd = false;  // escapes or comments make the state uncertain

  void pass(std::string_view text) {
    for (const char c : text) {
      if (open != 0) {
        odd = odd || (open == '"' && c == '\\');
        if (c == open) open = 0;
      } else {
        odd = odd || c == '\\' || c == '#';
        if (c == '"' || c == '\'') open = c;
      }
    }
  }
};

/// Replaces placeholders by arguments.
class Filler {
 public:
  Filler(std::string_view arguments, std::span<const std::string> names)
      : all_(arguments), words_(words_of(arguments)), names_(names) {}

  /// For a shell command: every argument stays one word, or part of the quotes around it. nullopt: not certain.
  std::optional<std::string> fill_command(std::string_view command) {
    quoting_.emplace();
    put_ = false;
    auto filled = fill(command);
    const auto quoting = *std::exchange(quoting_, std::nullopt);
    const bool clear =
        !quoting.odd && permission::hidden_commands(parse_shell_line(filled)).empty();
    if ((put_ && !clear) || filled.size() > kLargestSkillText) return std::nullopt;
    return filled;
  }

  /// Stops at the size limit.
  std::string fill(std::string_view text) {
    std::string out;
    while (!text.empty() && out.size() <= kLargestSkillText) {
      const auto plain = text.substr(0, text.find('$'));
      out += plain;
      text.remove_prefix(plain.size());
      if (quoting_) quoting_->pass(plain);
      if (text.empty()) break;
      if (quoting_ && text.starts_with("$(") && quoting_->open != '\'') quoting_->odd = true;
      const auto length = place(text, out);
      if (length == 0) out += '$';
      text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
  }
  /// There was a placeholder.
  bool used() const { return used_; }

 private:
  /// The length of the placeholder at the beginning of the text; 0: none that can be filled.
  std::size_t place(std::string_view text, std::string& out) {
    if (const auto length = named(text, out); length > 0) return length;
    if (!text.starts_with(kAll)) return word(text, 1, "", out);
    const auto length = word(text, kAll.size() + 1, "]", out);
    if (text.substr(kAll.size()).starts_with('[')) return length;
    put_all(out);
    used_ = true;
    return kAll.size();
  }

  std::size_t named(std::string_view text, std::string& out) {
    const auto end = std::min(text.find_first_not_of(kNameCharacters, 1), text.size());
    const auto found = std::ranges::find(names_, text.substr(1, end - 1));
    if (found == names_.end()) return 0;
    used_ = true;
    const auto place = static_cast<std::size_t>(found - names_.begin());
    put(place < words_.size() ? std::string_view(words_[place]) : "", out);
    return end;
  }

  std::size_t word(std::string_view text, std::size_t at, std::string_view close,
                   std::string& out) {
    if (text.size() <= at || (at > 1 && text[at - 1] != '[')) return 0;
    const auto number = number_at(text.substr(at));
    if (number.length == 0 || !text.substr(at + number.length).starts_with(close)) return 0;
    used_ = true;
    if (number.value >= words_.size()) return 0;
    put(words_[number.value], out);
    return at + number.length + close.size();
  }

  void put_all(std::string& out) {
    if (!quoting_ || quoting_->open != 0) return put(all_, out);
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (i > 0) out += ' ';
      put(words_[i], out);
    }
  }

  void put(std::string_view value, std::string& out) {
    if (quoting_ && quoting_->open != 0 && value.empty()) return;
    put_ = true;
    if (!quoting_) {
      out += value;
    } else if (quoting_->open == 0) {
      out += quoted(value);
    } else {
      out += quoting_->open + quoted(value) + quoting_->open;
    }
  }

  std::string_view all_;
  std::vector<std::string> words_;
  std::span<const std::string> names_;
  std::optional<Quoting> quoting_;  // within a command
  bool used_ = false;
  bool put_ = false;
};

/// Runs only commands of the text itself, at the beginning of a word; inserted text is not scanned again.
void fill_and_run(Filler& filler, std::string_view text, const RunCommand& run, std::string& out) {
  while (out.size() <= kLargestSkillText) {
    const auto at = text.find(kCommandBegins);
    const auto end = at == text.npos ? at : text.find('`', at + kCommandBegins.size());
    if (end == text.npos) {
      out += filler.fill(text);
      return;
    }
    const bool begins = at == 0 || kBlanks.find(text[at - 1]) != kBlanks.npos;
    const auto begin = at + kCommandBegins.size();
    out += filler.fill(text.substr(0, begins ? at : begin));
    if (begins) {
      const auto command = text.substr(begin, end - begin);
      const auto filled = filler.fill_command(command);
      out += filled
                 ? run(*filled)
                 : fmt::format("(`{}` was not run: arguments cannot safely be put there)", command);
    }
    text.remove_prefix(begins ? end + 1 : begin);
  }
}

}  // namespace

Result<std::string> with_arguments(std::string_view text, std::string_view arguments,
                                   const RunCommand& run, std::span<const std::string> names) {
  Filler filler(arguments, names);
  std::string filled;
  if (run) {
    fill_and_run(filler, text, run, filled);
  } else {
    filled = filler.fill(text);
  }
  if (!filler.used() && !arguments.empty()) filled.append("\n\nARGUMENTS: ").append(arguments);
  if (filled.size() > kLargestSkillText) {
    return fail(Code::limit,
                fmt::format("The text with its arguments is over {} KB.", kLargestSkillText >> 10));
  }
  return filled;
}

}  // namespace ralph::instructions
