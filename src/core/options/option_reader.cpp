#include "core/options/option_reader.h"

#include <algorithm>
#include <utility>

namespace ralph::options {

bool looks_like_option(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

OptionReader::OptionReader(std::vector<Declaration> declarations,
                           std::span<const std::string> words)
    : declarations_(std::move(declarations)), words_(words.begin(), words.end()) {}

std::optional<Item> OptionReader::next() {
  if (at_ == words_.size()) return std::nullopt;
  const std::string word = words_[at_++];
  if (word == "--") {
    rest_ = std::span<const std::string>(words_).subspan(std::exchange(at_, words_.size()));
    return std::nullopt;
  }
  if (looks_like_option(word)) {
    list_.reset();
    return read_option(word);
  }
  if (list_) return Item{Item::Kind::option, word, *list_, word};
  return Item{Item::Kind::operand, word};
}

std::optional<std::size_t> OptionReader::find(std::string_view name) const {
  const auto found = std::ranges::find_if(declarations_, [&](const auto& declared) {
    return std::ranges::find(declared.names, name) != declared.names.end();
  });
  if (found == declarations_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - declarations_.begin());
}

bool OptionReader::may_take_value(std::size_t option) const {
  return declarations_[option].takes != Takes::nothing;
}

Item OptionReader::read_option(const std::string& word) {
  if (const auto option = find(word)) return read_value(word, *option);
  if (!word.starts_with("--")) {
    if (const auto option = find(word.substr(0, 2))) return read_short(word, *option);
  } else if (const auto equals = word.find('='); equals != word.npos) {
    if (const auto option = find(word.substr(0, equals))) {
      const auto kind = may_take_value(*option) ? Item::Kind::option : Item::Kind::unexpected_value;
      return {kind, word, *option, word.substr(equals + 1)};
    }
  }
  return {Item::Kind::unknown_option, word};
}

/// "--name" or "-n", with the value in the next word.
Item OptionReader::read_value(const std::string& word, std::size_t option) {
  const bool more = at_ < words_.size();
  switch (declarations_[option].takes) {
    case Takes::nothing:
    case Takes::attached: break;
    case Takes::optional:
      if (!more || looks_like_option(words_[at_])) break;
      return {Item::Kind::option, word, option, words_[at_++]};
    case Takes::list: list_ = option; [[fallthrough]];
    case Takes::value:
      if (!more) return {Item::Kind::missing_value, word, option};
      return {Item::Kind::option, word, option, words_[at_++]};
  }
  return {Item::Kind::option, word, option};
}

/// "-nVALUE", or "-vq" for "-v -q".
Item OptionReader::read_short(const std::string& word, std::size_t option) {
  if (may_take_value(option)) return {Item::Kind::option, word, option, word.substr(2)};
  words_[--at_] = "-" + word.substr(2);
  return {Item::Kind::option, word, option};
}

}  // namespace ralph::options
