#include "harness/loop/json_objects.h"

#include <cstddef>
#include <vector>

namespace ralph::loop {
namespace {

/// Reads one object from its '{' on, token by token, and gives up at the first one that cannot be there.
class ObjectReader {
 public:
  ObjectReader(std::string_view text, std::size_t at, std::string_view key)
      : text_(text), key_(key), begin_(at), at_(at), last_string_(at) {}

  /// True: the object ends before end().
  bool read() {
    while (at_ < text_.size()) {
      if (!step()) return false;
      if (open_.empty()) return true;
    }
    return false;
  }
  std::size_t end() const { return at_; }
  bool has_key() const { return has_key_; }
  /// Where an object may begin that this one is not: in its last string, or behind what was wrong.
  std::size_t retry_at() const { return (last_string_ > begin_ ? last_string_ : begin_) + 1; }

 private:
  enum class Want { key_or_end, key, colon, value, value_or_end, comma_or_end };

  bool step() {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') return ++at_, true;
    if (open_.empty()) return opens('{');
    switch (want_) {
      case Want::key_or_end: return c == '}' ? closes() : key();
      case Want::key: return key();
      case Want::colon: return c == ':' && go(Want::value);
      case Want::value: return value(c);
      case Want::value_or_end: return c == ']' ? closes() : value(c);
      case Want::comma_or_end:
        if (c == ',') return go(open_.back() == '{' ? Want::key : Want::value);
        return c == (open_.back() == '{' ? '}' : ']') && closes();
    }
    return false;
  }

  bool go(Want next) {
    ++at_;
    want_ = next;
    return true;
  }
  bool opens(char c) {
    open_.push_back(c);
    return go(c == '{' ? Want::key_or_end : Want::value_or_end);
  }
  bool closes() {
    open_.pop_back();
    return go(Want::comma_or_end);
  }
  bool key() {
    const auto begin = at_ + 1;
    if (!string()) return false;
    if (open_.size() == 1 && text_.substr(begin, at_ - 1 - begin) == key_) has_key_ = true;
    want_ = Want::colon;
    return true;
  }
  bool value(char c) {
    if (c == '{' || c == '[') return opens(c);
    want_ = Want::comma_or_end;
    return c == '"' ? string() : word();
  }
  bool string() {
    if (text_[at_] != '"') return false;
    last_string_ = at_;
    for (++at_; at_ < text_.size(); ++at_) {
      if (is_control(text_[at_])) return false;
      if (text_[at_] == '"') return ++at_, true;
      if (text_[at_] == '\\' && at_ + 1 < text_.size() && !is_control(text_[at_ + 1])) ++at_;
    }
    return false;
  }
  static bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }
  /// A number, true, false or null, or something of that shape.
  bool word() {
    const auto begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return at_ > begin;
  }
  static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' || c == '.' ||
           c == 'E';
  }

  std::string_view text_, key_;
  std::size_t begin_, at_, last_string_;
  std::vector<char> open_;
  Want want_ = Want::key_or_end;
  bool has_key_ = false;
};

}  // namespace

std::string_view last_object_with(std::string_view text, std::string_view key) {
  std::string_view found;
  for (auto at = text.find('{'); at < text.size();) {
    ObjectReader object(text, at, key);
    const bool whole = object.read();
    if (whole && object.has_key()) found = text.substr(at, object.end() - at);
    at = text.find('{', whole ? object.end() : object.retry_at());
  }
  return found;
}

}  // namespace ralph::loop
