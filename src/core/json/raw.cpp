#include "core/json/raw.h"

#include <cstring>

namespace ralph::json {
namespace {

/// Walks JSON text without decoding it. Past the end every question answers '\0'.
class Walker {
 public:
  explicit Walker(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}

  std::size_t position() const { return at_; }
  char peek() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }

  /// The raw inside of a string; the position is at its opening quote.
  std::string_view take_string() {
    const std::size_t begin = ++at_;
    for (;;) {
      const void* quote =
          at_ < text_.size() ? std::memchr(text_.data() + at_, '"', text_.size() - at_) : nullptr;
      if (quote == nullptr) {
        at_ = text_.size();
        return text_.substr(begin < at_ ? begin : at_);
      }
      const auto end = static_cast<std::size_t>(static_cast<const char*>(quote) - text_.data());
      at_ = end + 1;
      if (!escaped(begin, end)) return text_.substr(begin, end - begin);
    }
  }

  void skip_value() {
    const char first = peek();
    if (first == '"') {
      take_string();
    } else if (first == '{' || first == '[') {
      skip_container();
    } else {
      while (at_ < text_.size() && !ends_scalar(text_[at_])) ++at_;
    }
  }

  bool enter_member(std::string_view name) {
    if (!take('{')) return false;
    while (peek() == '"') {
      const auto key = take_string();
      if (!take(':')) return false;
      if (key == name) return true;
      skip_value();
      if (!take(',')) return false;
    }
    return false;
  }

  bool enter_element(std::size_t number) {
    if (!take('[') || peek() == ']') return false;
    for (; number > 0; --number) {
      skip_value();
      if (!take(',')) return false;
    }
    return true;
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  static bool ends_scalar(char c) { return c == ',' || c == '}' || c == ']' || is_space(c); }

  bool escaped(std::size_t begin, std::size_t quote) const {
    std::size_t slashes = 0;
    while (quote > begin && text_[quote - 1] == '\\') --quote, ++slashes;
    return slashes % 2 == 1;
  }

  void skip_container() {
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        take_string();
        continue;
      }
      ++at_;
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth == 0) return;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string_view locate_start(std::string_view text, std::initializer_list<Step> path) {
  Walker walker(text);
  for (const auto& step : path) {
    const auto* name = std::get_if<std::string_view>(&step);
    const bool found = name != nullptr ? walker.enter_member(*name)
                                       : walker.enter_element(std::get<std::size_t>(step));
    if (!found) return {};
  }
  if (walker.peek() == '\0') return {};
  return text.substr(walker.position());
}

std::string_view locate(std::string_view text, std::initializer_list<Step> path) {
  const auto start = locate_start(text, path);
  Walker walker(start);
  walker.skip_value();
  return start.substr(0, walker.position());
}

std::string_view Elements::start(std::size_t index) {
  Walker walker(text_, at_);
  if (!begun_) {
    begun_ = true;
    if (!walker.enter_element(0)) text_ = {};
  }
  for (; index_ < index && !text_.empty(); ++index_) {
    walker.skip_value();
    if (!walker.take(',')) text_ = {};
  }
  if (text_.empty() || walker.peek() == '\0') return {};
  at_ = walker.position();
  return text_.substr(at_);
}

}  // namespace ralph::json
