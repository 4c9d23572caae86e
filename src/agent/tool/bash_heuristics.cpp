#include "agent/tool/bash_words.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ralph::tool {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

struct Meaning {
  std::string_view program;
  std::string_view text;
};
constexpr std::array kMeanings{
    Meaning{"grep", "No matches found"},  Meaning{"egrep", "No matches found"},
    Meaning{"fgrep", "No matches found"}, Meaning{"rg", "No matches found"},
    Meaning{"diff", "Files differ"},      Meaning{"test", "Condition is false"},
    Meaning{"[", "Condition is false"},
};

constexpr std::array<std::string_view, 14> kSilent{
    "cd",    "chgrp", "chmod", "chown", "cp",    "export", "ln",
    "mkdir", "mv",    "rm",    "rmdir", "touch", "unset",  "wait",
};

/// Cuts a line into the parts of its list: at ";", "&", "|" and line ends outside quotes and brackets.
class ListCutter {
 public:
  explicit ListCutter(std::string_view line) : line_(line) {}

  std::vector<std::string_view> parts() {
    for (; at_ < line_.size(); ++at_) step();
    end_part();
    return std::move(parts_);
  }

 private:
  void step() {
    const char c = line_[at_];
    if (c == '\\' && quote_ != '\'') {
      ++at_;
    } else if (quote_ != 0) {
      if (c == quote_) quote_ = 0;
    } else if (c == '\'' || c == '"' || c == '`') {
      quote_ = c;
    } else if (c == '(') {
      ++depth_;
    } else if (c == ')') {
      depth_ = std::max(0, depth_ - 1);
    } else if (depth_ == 0 && ends_part(c)) {
      end_part();
    }
  }

  bool ends_part(char c) const {
    if (c == '&') return near(-1) != '>' && near(1) != '>' && near(-1) != '<';
    if (c == '|') return near(-1) != '>';
    return c == ';' || c == '\n';
  }

  char near(int distance) const {
    const std::size_t at = at_ + static_cast<std::size_t>(distance);
    return at < line_.size() ? line_[at] : '\0';
  }

  void end_part() {
    const auto end = std::min(at_, line_.size());
    const auto part = line_.substr(begin_, end - begin_);
    if (part.find_first_not_of(kBlanks) != std::string_view::npos) parts_.push_back(part);
    begin_ = at_ + 1;
    if (begin_ > line_.size()) begin_ = line_.size();
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
  char quote_ = 0;
  int depth_ = 0;
  std::vector<std::string_view> parts_;
};

std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const auto word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

bool is_assignment(std::string_view word) {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  return std::ranges::all_of(word.substr(0, equals), [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  });
}

std::string name_of(std::string_view part) {
  auto word = next_word(part);
  while (is_assignment(word)) word = next_word(part);
  if (word.find_first_of("'\"\\$`(){}<>!#") != std::string_view::npos) return {};
  const auto slash = word.rfind('/');
  return std::string(slash == std::string_view::npos ? word : word.substr(slash + 1));
}

}  // namespace

std::vector<std::string> command_names(std::string_view line) {
  std::vector<std::string> names;
  for (const auto part : ListCutter(line).parts()) names.push_back(name_of(part));
  return names;
}

Millis standalone_sleep(std::string_view line) {
  if (next_word(line) != "sleep") return {};
  const auto word = next_word(line);
  if (!next_word(line).empty()) return {};
  double seconds = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seconds);
  if (error != std::errc{}) return {};
  const auto unit = word.substr(static_cast<std::size_t>(end - word.data()));
  const auto scale = unit.empty() || unit == "s" ? 1.0
                     : unit == "m"               ? 60.0
                     : unit == "h"               ? 3600.0
                     : unit == "d"               ? 86400.0
                                                 : 0.0;
  return Millis{static_cast<std::int64_t>(std::clamp(seconds * scale, 0.0, 1e9) * 1000)};
}

std::string_view meaning_of_exit_1(std::string_view line) {
  const auto names = command_names(line);
  if (names.empty()) return {};
  const auto found = std::ranges::find(kMeanings, names.back(), &Meaning::program);
  return found == kMeanings.end() ? std::string_view{} : found->text;
}

bool usually_silent(std::string_view line) {
  const auto names = command_names(line);
  return !names.empty() && std::ranges::all_of(names, [](const std::string& name) {
    return std::ranges::find(kSilent, name) != kSilent.end();
  });
}

}  // namespace ralph::tool
