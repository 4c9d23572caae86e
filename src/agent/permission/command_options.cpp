#include "agent/permission/command_options.h"

#include <algorithm>

#include "core/base/text.h"

namespace ralph::permission {
namespace {

/// Wildcards and braces are allowed: CommandFiles expands them.
bool is_readable_operand(const ShellWord& word) { return word.literal || word.pattern; }

bool is_of_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool has_whole_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    const bool begins = at == 0 || !is_of_word(text[at - 1]);
    if (begins && (end == text.size() || !is_of_word(text[end]))) return true;
  }
  return false;
}

class ArgumentReader {
 public:
  ArgumentReader(Words words, const OptionTable& table) : words_(words), table_(table) {}

  std::optional<Arguments> run() {
    for (; at_ < words_.size(); ++at_) {
      const auto& word = words_[at_];
      if (only_operands_ || !word.text.starts_with('-') || word.text == "-") {
        if (!only_operands_ && !is_readable_operand(word)) return std::nullopt;
        found_.operands.push_back(word);
      } else if (!word.literal || !read_option(word.text)) {
        return std::nullopt;
      }
    }
    return std::move(found_);
  }

 private:
  bool read_option(std::string_view text) {
    if (text == "--") {
      only_operands_ = true;
      return true;
    }
    return text.starts_with("--") ? read_name(text) : read_letters(text);
  }

  bool read_name(std::string_view text) {
    const auto equals = text.find('=');
    const auto name = text.substr(0, equals);
    if (!has_word(table_.names, name.substr(2))) return false;
    found_.options.emplace_back(name);
    if (equals != std::string_view::npos) found_.values.emplace_back(text.substr(equals + 1));
    return true;
  }

  bool read_letters(std::string_view text) {
    for (std::size_t i = 1; i < text.size(); ++i) {
      const auto known = table_.letters.find(text[i]);
      if (text[i] == ':' || text[i] == '?' || known == std::string_view::npos) return false;
      found_.options.push_back(std::string("-") + text[i]);
      const char takes = known + 1 < table_.letters.size() ? table_.letters[known + 1] : ' ';
      if (takes != ':' && takes != '?') continue;
      if (i + 1 < text.size() || takes == '?') {
        found_.values.emplace_back(text.substr(i + 1));
        return true;
      }
      return take_next_word();
    }
    return true;
  }

  bool take_next_word() {
    if (++at_ >= words_.size()) return true;  // the command reports the error
    if (!words_[at_].literal) return false;
    found_.values.push_back(words_[at_].text);
    found_.separate.push_back(words_[at_]);
    return true;
  }

  Words words_;
  const OptionTable& table_;
  std::size_t at_ = 0;
  bool only_operands_ = false;
  Arguments found_;
};

}  // namespace

bool Arguments::has(std::string_view option) const {
  return std::ranges::find(options, option) != options.end();
}

std::optional<Arguments> read_arguments(Words words, const OptionTable& table) {
  return ArgumentReader(words, table).run();
}

bool mentions_word(std::string_view text, std::string_view words) {
  while (!words.empty()) {
    const auto word = words.substr(0, words.find(' '));
    if (has_whole_word(text, word)) return true;
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  return false;
}

bool is_plain(const ShellWord& word) {
  return word.literal || (word.pattern && word.certain && !word.text.starts_with('-'));
}

Words without_keywords(Words words) {
  constexpr std::string_view kKeywords = "if then else elif while until do ! { }";
  while (!words.empty() && has_word(kKeywords, words.front().text)) words = words.subspan(1);
  return words;
}

}  // namespace ralph::permission
