#include "core/json/writer.h"

#include <array>
#include <charconv>
#include <cmath>

namespace ralph::json {
namespace {

constexpr std::array<bool, 256> make_plain_table() {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 256; ++c) plain[c] = c != '"' && c != '\\' && c != 0x7f;
  return plain;
}
constexpr auto kPlain = make_plain_table();

void append_escaped(std::string& out, unsigned char c) {
  constexpr char kDigits[] = "0123456789abcdef";
  switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    case '\b': out += "\\b"; break;
    case '\f': out += "\\f"; break;
    default:
      out += "\\u00";
      out += kDigits[c >> 4];
      out += kDigits[c & 15];
  }
}

}  // namespace

void append_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (kPlain[c]) continue;
    out.append(text, begin, i - begin);
    append_escaped(out, c);
    begin = i + 1;
  }
  out.append(text, begin);
  out += '"';
}

void append_number(std::string& out, std::int64_t value) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

void append_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

void ObjectWriter::begin(std::string_view key) {
  if (!first_) out_ += ',';
  first_ = false;
  append_string(out_, key);
  out_ += ':';
}

ObjectWriter& ObjectWriter::text(std::string_view key, std::string_view value) {
  begin(key);
  append_string(out_, value);
  return *this;
}

ObjectWriter& ObjectWriter::number(std::string_view key, std::int64_t value) {
  begin(key);
  append_number(out_, value);
  return *this;
}

ObjectWriter& ObjectWriter::number(std::string_view key, double value) {
  begin(key);
  append_number(out_, value);
  return *this;
}

ObjectWriter& ObjectWriter::boolean(std::string_view key, bool value) {
  begin(key);
  out_ += value ? "true" : "false";
  return *this;
}

ObjectWriter& ObjectWriter::raw(std::string_view key, std::string_view json) {
  begin(key);
  out_ += json;
  return *this;
}

}  // namespace ralph::json
