#include "core/json/field.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ralph::json {
namespace {

TEST(Field, TextsAreTheStringsOfAList) {
  const auto document = parse(R"({"names":["a",1,null,"b"],"other":"a"})").value();
  EXPECT_EQ(texts(document, "names"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(texts(document, "other").empty());
  EXPECT_TRUE(texts(document, "missing").empty());
  EXPECT_TRUE(texts(document).empty());
}

TEST(Field, ATextListHasStringsOnly) {
  for (const auto* text : {"[]", R"(["a"])", R"(["a",""])"})
    EXPECT_TRUE(is_text_list(*parse(text)));
  for (const auto* text :
       {"null", R"("a")", R"({"a":"b"})", "[1]", R"(["a",null])", R"([["a"]])"}) {
    EXPECT_FALSE(is_text_list(*parse(text))) << text;
  }
}

}  // namespace
}  // namespace ralph::json
