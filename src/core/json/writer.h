#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ralph::json {

/// Appends a JSON string with its quotes. The text must be UTF-8.
void append_string(std::string& out, std::string_view text);
void append_number(std::string& out, std::int64_t value);
/// The shortest form that reads back as the same double; not a number becomes null.
void append_number(std::string& out, double value);

/// Writes one object, member after member: `ObjectWriter(out).text("a", "b").number("n",
/// 3).close();`
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }

  ObjectWriter& text(std::string_view key, std::string_view value);
  ObjectWriter& number(std::string_view key, std::int64_t value);
  ObjectWriter& number(std::string_view key, double value);
  ObjectWriter& boolean(std::string_view key, bool value);
  /// JSON text, not checked.
  ObjectWriter& raw(std::string_view key, std::string_view json);
  void close() { out_ += '}'; }

 private:
  void begin(std::string_view key);

  std::string& out_;
  bool first_ = true;
};

}  // namespace ralph::json
