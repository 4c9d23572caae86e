#include "core/json/document.h"

#include <chrono>
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ralph::json {
namespace {

std::string brackets(std::size_t depth, std::string_view inside = "1") {
  return std::string(depth, '[') + std::string(inside) + std::string(depth, ']');
}

TEST(Document, ReadsEveryKindOfValue) {
  const auto document = parse(R"({"a":[1,-2,0.5,"x",true,false,null],"b":{}})");
  ASSERT_TRUE(document);
  const Document expected = {{"a", {1, -2, 0.5, "x", true, false, nullptr}},
                             {"b", Document::object()}};
  EXPECT_EQ(*document, expected);
}

TEST(Document, ReadsScalarsAtTheTop) {
  EXPECT_EQ(parse("17"), Document(17));
  EXPECT_EQ(parse(" \"x\"\n"), Document("x"));
  EXPECT_EQ(parse("null"), Document(nullptr));
}

TEST(Document, KeepsTheOrderOfKeys) {
  const std::string text = R"({"z":1,"a":{"y":2,"b":3},"m":[{"q":4,"c":5}]})";
  EXPECT_EQ(write(*parse(text)), text);
}

TEST(Document, LastOfEqualKeysWinsInTheFirstOnesPlace) {
  EXPECT_EQ(write(*parse(R"({"a":1,"b":2,"a":3})")), R"({"a":3,"b":2})");
  EXPECT_EQ(write(*parse(R"({"a":1,"\u0061":[2]})")), R"({"a":[2]})");
}

TEST(Document, LastOfEqualKeysWinsInBigObjectsToo) {
  std::string text = "{";
  for (int i = 0; i < 100; ++i)
    text += "\"k" + std::to_string(i % 50) + "\":" + std::to_string(i) + ",";
  text.back() = '}';
  const auto document = parse(text);
  ASSERT_TRUE(document);
  EXPECT_EQ(document->size(), 50U);
  EXPECT_EQ(document->begin().key(), "k0");
  EXPECT_EQ((*document)["k0"], 50);
  EXPECT_EQ((*document)["k49"], 99);
}

TEST(Document, ObjectsMayHaveManyKeys) {
  std::string text = "{";
  for (int i = 0; i < 300'000; ++i) text += "\"key" + std::to_string(i) + "\":0,";
  text.back() = '}';
  const auto document = parse(text);  // quadratic work would not end before the test's deadline
  ASSERT_TRUE(document);
  EXPECT_EQ(document->size(), 300'000U);
}

TEST(Document, KeepsWholeNumbersExact) {
  const std::string text = "[0,9223372036854775807,-9223372036854775808,18446744073709551615]";
  const auto document = parse(text);
  ASSERT_TRUE(document);
  EXPECT_EQ(write(*document), text);
  EXPECT_TRUE((*document)[0].is_number_unsigned());
  EXPECT_EQ((*document)[1].get<std::int64_t>(), INT64_MAX);
  EXPECT_EQ((*document)[3].get<std::uint64_t>(), UINT64_MAX);
}

TEST(Document, ReadsLongerWholeNumbersAsDoubles) {
  const auto document =
      parse(R"({"1234567890123456789012": [18446744073709551616, -9223372036854775809, 7],)"
            R"( "s": "a \" 99999999999999999999", "f": 12345678901234567890.5e1})");
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ((*document)["1234567890123456789012"][0], 18446744073709551616.0);
  EXPECT_EQ((*document)["1234567890123456789012"][1], -9223372036854775809.0);
  EXPECT_EQ((*document)["1234567890123456789012"][2], 7);
  EXPECT_EQ((*document)["s"], "a \" 99999999999999999999");
  EXPECT_EQ((*document)["f"], 123456789012345678905.0);
}

TEST(Document, DoublesRoundTrip) {
  for (const std::string_view text : {"0.00014", "0.1", "1e-07", "123456.789", "5e-324", "-0.00014",
                                      "1.7976931348623157e+308", "0.0096310000000000007"}) {
    const auto document = parse(text);
    ASSERT_TRUE(document) << text;
    EXPECT_EQ(parse(write(*document)), *document) << text;
  }
  EXPECT_EQ(write(*parse("0.00014")), "0.00014");
  EXPECT_EQ(write(Document(std::nan(""))), "null");
}

TEST(Document, RepairsWhatJavaScriptBreaks) {
  EXPECT_EQ(*parse(R"({"a":"x\ud83d"})"), (Document{{"a", "x\xEF\xBF\xBD"}}));
  EXPECT_EQ(*parse("\xEF\xBB\xBF[1]"), Document::array({1}));
  EXPECT_EQ(*parse("[\"\xFF\"]"), Document::array({"\xEF\xBF\xBD"}));
  EXPECT_EQ(*parse(R"(["\ud83d", 99999999999999999999])"),
            Document::array({"\xEF\xBF\xBD", 99999999999999999999.0}));
  EXPECT_EQ(*parse(R"("\ud83d\ude42\u0000")"), Document(std::string("🙂\0", 5)));
}

TEST(Document, RejectsBrokenTextWithPlaceAndReason) {
  const struct {
    std::string_view text;
    std::string_view place;
    std::string_view hint;
  } table[] = {
      {"{\"a\":1,\n \"b\":tru}", "line 2, column 9, near '", ""},
      {"{\"a\":1,}", "unexpected '}'", "no comma before"},
      {"[1,\n2,\n]", "at line 3, column 1,", "no comma before"},
      {"{\"a\":1", "unexpected end of input; expected '}' at line 1, column 7,", "cut off"},
      {"[\"ab", "line 1, column 5", "cut off"},
      {"{'a':1}", "line 1, column 2", "double quotes"},
      {"[1] // x", "line 1, column 5", "no comments"},
      {"# x", "line 1, column 1", "no comments"},
      {"[\"ääää\", x]", "line 1, column 10", ""},
      {"{}{}", "line 1, column 3", ""},
      {"[1e999]", "number overflow", ""},
      {"[01]", "line 1, column 3", ""},
      {"[\"a\tb\"]", "line 1, column 4", ""},
      {"[\"\\x\"]", "line 1, column 4", ""},
      {"nul", "line 1,", "cut off"},
      {"[99999999999999999999", "unexpected end of input", "cut off"},
  };
  for (const auto& row : table) {
    const auto document = parse(row.text, "settings.json");
    ASSERT_FALSE(document) << row.text;
    const auto& error = document.error();
    EXPECT_EQ(error.code, Code::malformed) << row.text;
    EXPECT_TRUE(error.message.starts_with("settings.json: ")) << error.message;
    EXPECT_NE(error.message.find(row.place), std::string::npos)
        << row.text << " -> " << error.message;
    EXPECT_EQ(error.hint.empty(), row.hint.empty()) << row.text << " -> " << error.hint;
    EXPECT_NE(error.hint.find(row.hint), std::string::npos) << row.text << " -> " << error.hint;
  }
}

TEST(Document, RejectsAZeroByte) {
  using namespace std::string_view_literals;
  for (const auto text : {"{}\0"sv, "\0"sv, "[1,\0 2]"sv, "[99999999999999999999]\0"sv}) {
    const auto document = parse(text);
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error().code, Code::malformed);
    EXPECT_EQ(document.error().message.find('\0'), std::string::npos);
  }
}

TEST(Document, AnErrorQuotesOnlyTheSurroundings) {
  const auto text =
      "[\"" + std::string(100'000, 'a') + "ä\", x, \"" + std::string(100'000, 'b') + "\"]";
  const auto document = parse(text);
  ASSERT_FALSE(document);
  EXPECT_LT(document.error().message.size(), 200U);
  EXPECT_NE(document.error().message.find("aaaä\", x, "), std::string::npos)
      << document.error().message;
  EXPECT_NE(document.error().message.find("column 100007,"), std::string::npos)
      << document.error().message;
}

TEST(Document, RejectsEmptyText) {
  for (const std::string_view text : {"", " \n\t", "\xEF\xBB\xBF"}) {
    const auto document = parse(text, "answer");
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error().code, Code::malformed);
    EXPECT_EQ(document.error().message, "answer is empty");
  }
}

TEST(Document, LimitsDepth) {
  EXPECT_TRUE(parse(brackets(kMaxDepth)));
  for (const auto& text : {brackets(kMaxDepth + 1), brackets(10'000), std::string(10'000'000, '['),
                           brackets(600, R"("\ud83d")")}) {
    const auto document = parse(text);
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error().code, Code::limit);
    EXPECT_EQ(document.error().message, "JSON is nested more than 512 levels deep");
  }
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_FALSE(parse(objects));
}

TEST(Document, IsWrittenOnOneLineOrForPeople) {
  const Document document = {{"b", {1, 2}}, {"a", "ü\n"}};
  EXPECT_EQ(write(document), "{\"b\":[1,2],\"a\":\"ü\\n\"}");
  EXPECT_EQ(write_pretty(document), "{\n  \"b\": [\n    1,\n    2\n  ],\n  \"a\": \"ü\\n\"\n}\n");
}

TEST(Document, WritingReplacesInvalidBytes) {
  EXPECT_EQ(write(Document("a\xFF"
                           "b")),
            "\"a\xEF\xBF\xBD"
            "b\"");
  EXPECT_EQ(write(Document::object({{"\xC3", 1}})), "{\"\xEF\xBF\xBD\":1}");
  EXPECT_EQ(write_pretty(Document("\xFF")), "\"\xEF\xBF\xBD\"\n");
}

}  // namespace
}  // namespace ralph::json
