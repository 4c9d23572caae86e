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

}  // namespace
}  // namespace ralph::json
