#include "core/json/writer.h"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/json/document.h"

namespace ralph::json {
namespace {

std::string json_text(std::string_view text) {
  std::string out;
  append_string(out, text);
  return out;
}

std::string number(double value) {
  std::string out;
  append_number(out, value);
  return out;
}

TEST(Writer, EscapesWhatJsonMustEscape) {
  EXPECT_EQ(json_text("a\"b\\c\n\t\r\b\f"), R"("a\"b\\c\n\t\r\b\f")");
  EXPECT_EQ(json_text(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\\u007f\"");
  EXPECT_EQ(json_text("€ 😀"), "\"€ 😀\"");
  EXPECT_EQ(json_text(""), "\"\"");
}

TEST(Writer, EveryByteReadsBack) {
  for (char32_t c = 0; c < 0x80; ++c) {
    const std::string text(1, static_cast<char>(c));
    EXPECT_EQ(parse(json_text(text)).value().get<std::string>(), text);
  }
}

TEST(Writer, NumbersReadBackAsTheSameDouble) {
  for (const double value :
       {0.0, 0.1, 0.00014000000000000001, 1e300, 5e-324, -2.5, 1e21, 123456789.0}) {
    EXPECT_EQ(parse(number(value)).value().get<double>(), value) << number(value);
  }
  EXPECT_EQ(number(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(number(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(Writer, WritesObjectsMemberByMember) {
  std::string out;
  ObjectWriter(out)
      .text("a", "x")
      .number("n", std::int64_t{-3})
      .boolean("b", true)
      .raw("r", "[1]")
      .close();
  EXPECT_EQ(out, R"({"a":"x","n":-3,"b":true,"r":[1]})");
  out.clear();
  ObjectWriter(out).close();
  EXPECT_EQ(out, "{}");
}

}  // namespace
}  // namespace ralph::json
