#include "agent/tool/coerce.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ralph::tool {
namespace {

using json::Document;

Document coerced(const Document& value, const char* type) {
  Document input = {{"x", value}};
  coerce(input, std::string(R"({"properties":{"x":{"type":")") + type + R"("}}})");
  return input["x"];
}

TEST(Coerce, TextsThatAreNumbersBecomeNumbers) {
  EXPECT_EQ(coerced("2", "integer"), 2);
  EXPECT_TRUE(coerced("2", "integer").is_number_integer());
  EXPECT_EQ(coerced(" -7 ", "number"), -7);
  EXPECT_TRUE(coerced("2.0", "integer").is_number_integer());
  EXPECT_EQ(coerced("2.5", "number"), 2.5);
  EXPECT_EQ(coerced("5000", "number"), 5000);
  for (const auto* const text : {"", " ", "abc", "2x", "1e999", "nan", "inf", "0x10", "true"}) {
    EXPECT_EQ(coerced(text, "number"), text);
  }
}

TEST(Coerce, TextsThatAreBooleansBecomeBooleans) {
  EXPECT_EQ(coerced("true", "boolean"), true);
  EXPECT_EQ(coerced("false", "boolean"), false);
  for (const auto* const text : {"True", "1", "yes", ""}) {
    EXPECT_EQ(coerced(text, "boolean"), text);
  }
}

TEST(Coerce, NothingElseChanges) {
  EXPECT_EQ(coerced("2", "string"), "2");
  EXPECT_EQ(coerced(1, "boolean"), 1);
  EXPECT_EQ(coerced(nullptr, "number"), nullptr);
  Document input = {{"unknown", "2"}};
  coerce(input, R"({"properties":{}})");
  coerce(input, "no JSON");
  EXPECT_EQ(input["unknown"], "2");
  Document list = Document::array({"2"});
  coerce(list, R"({"properties":{"0":{"type":"number"}}})");
  EXPECT_EQ(list[0], "2");
}

}  // namespace
}  // namespace ralph::tool
