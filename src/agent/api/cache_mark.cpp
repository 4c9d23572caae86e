#include <cstddef>
#include <cstring>

#include "agent/api/cache_mark_impl.h"

namespace ralph::api {
namespace {

/// The members of a block that decide about a cache mark.
struct Seen {
  std::string_view type;  // with its quotes
  std::string_view text;  // with its quotes, where it is short
  bool marked = false;
  bool empty = true;
};

/// Reads JSON backwards. A quote is inside a string only behind an odd number of backslashes, so a string's start
/// is found as its end is.
class Backwards {
 public:
  Backwards(std::string_view text, std::size_t end) : text_(text), at_(end) {}

  bool at_start() const { return at_ == 0; }
  std::size_t position() const { return at_; }
  char take() { return text_[--at_]; }

  /// The string whose closing quote was just taken, with its quotes; empty: it has no start.
  std::string_view take_string() {
    const auto end = at_ + 1;
    while (at_ > 0) {
      const auto* quote = static_cast<const char*>(::memrchr(text_.data(), '"', at_));
      if (quote == nullptr) break;
      at_ = static_cast<std::size_t>(quote - text_.data());
      if (!escaped(at_)) return text_.substr(at_, end - at_);
    }
    at_ = 0;
    return {};
  }

 private:
  bool escaped(std::size_t quote) const {
    std::size_t slashes = 0;
    while (quote > 0 && text_[quote - 1] == '\\') --quote, ++slashes;
    return slashes % 2 == 1;
  }

  std::string_view text_;
  std::size_t at_;
};

void note(Seen& seen, std::string_view key, std::string_view value) {
  seen.empty = false;
  if (key == R"("type")") seen.type = value;
  if (key == R"("text")") seen.text = value;
  if (key == R"("cache_control")") seen.marked = true;
}

/// The members of the object that ends at `end`, its closing brace excluded; false: it has no start.
bool read_object(std::string_view text, std::size_t end, Seen& seen) {
  Backwards reader(text, end);
  std::size_t depth = 1;
  std::string_view value;  // the last string at this depth
  bool is_key = false;     // a colon was just taken
  while (!reader.at_start()) {
    switch (reader.take()) {
      case '}':
      case ']': ++depth; break;
      case '{':
      case '[':
        if (--depth == 0) return text[reader.position()] == '{';
        break;
      case ':': is_key = depth == 1; break;
      case ',':
        if (depth == 1) value = {};
        break;
      case '"': {
        const auto string = reader.take_string();
        if (depth != 1) break;
        if (is_key) note(seen, string, value);
        if (!is_key) value = string;
        is_key = false;
        break;
      }
      default: break;
    }
  }
  return false;
}

}  // namespace

bool may_be_marked(std::string_view array) {
  if (!array.ends_with("}]")) return false;
  Seen seen;
  if (!read_object(array, array.size() - 2, seen) || seen.empty || seen.marked) return false;
  if (seen.type == R"("thinking")" || seen.type == R"("redacted_thinking")") return false;
  return seen.type != R"("text")" || (seen.text != R"("")" && !seen.text.empty());
}

}  // namespace ralph::api
