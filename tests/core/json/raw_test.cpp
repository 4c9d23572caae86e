#include "core/json/raw.h"

#include <string>

#include <gtest/gtest.h>

namespace ralph::json {
namespace {

TEST(Locate, FindsMembersAndElementsAsTheyAreWritten) {
  const std::string_view text = R"({"a":1, "b" : {"c":[10, {"d": "x\"y"} ,[ ]],"e":null},"f":"}"})";
  EXPECT_EQ(locate(text, {"a"}), "1");
  EXPECT_EQ(locate(text, {"b", "c", std::size_t{0}}), "10");
  EXPECT_EQ(locate(text, {"b", "c", std::size_t{1}, "d"}), R"("x\"y")");
  EXPECT_EQ(locate(text, {"b", "c", std::size_t{1}}), R"({"d": "x\"y"})");
  EXPECT_EQ(locate(text, {"b", "c", std::size_t{2}}), "[ ]");
  EXPECT_EQ(locate(text, {"b", "e"}), "null");
  EXPECT_EQ(locate(text, {"f"}), R"("}")");
  EXPECT_EQ(locate(text, {}), text);
}

TEST(Locate, GivesNothingForWhatIsNotThere) {
  const std::string_view text = R"({"a":[1],"b":"s"})";
  EXPECT_EQ(locate(text, {"x"}), "");
  EXPECT_EQ(locate(text, {"a", std::size_t{1}}), "");
  EXPECT_EQ(locate(text, {"a", "b"}), "");
  EXPECT_EQ(locate(text, {"b", "c"}), "");
  EXPECT_EQ(locate("[]", {std::size_t{0}}), "");
  EXPECT_EQ(locate("{}", {"a"}), "");
  EXPECT_EQ(locate("", {"a"}), "");
}

TEST(Locate, EscapedBackslashesBeforeAQuoteEndTheString) {
  EXPECT_EQ(locate(R"({"a":"x\\","b":2})", {"b"}), "2");
  EXPECT_EQ(locate(R"({"a":"x\\\",","b":2})", {"b"}), "2");
}

TEST(Elements, StepOnceThroughAnArray) {
  Elements elements(R"([1, {"a":[2]} ,"x"] and more)");
  EXPECT_TRUE(elements.start(0).starts_with("1,"));
  EXPECT_EQ(locate(elements.start(1), {}), R"({"a":[2]})");
  EXPECT_EQ(locate(elements.start(1), {"a", std::size_t{0}}), "2");
  EXPECT_EQ(locate(elements.start(2), {}), R"("x")");
  EXPECT_EQ(elements.start(3), "");
  EXPECT_EQ(elements.start(4), "");
}

TEST(Elements, OfWhatIsNoArrayAreNone) {
  EXPECT_EQ(Elements("").start(0), "");
  EXPECT_EQ(Elements("[]").start(0), "");
  EXPECT_EQ(Elements("{}").start(0), "");
  EXPECT_EQ(Elements("[1").start(5), "");
}

TEST(Locate, StaysInBoundsOnBrokenText) {
  for (const std::string text : {"{", "{\"a", "{\"a\":", "{\"a\":\"", "{\"a\":[", "{\"a\":{\"b\"",
                                 "\"", "{\"a\\", "{\"a\":1", "[[[", "}", "]"}) {
    (void)locate(text, {"a"});
    (void)locate(text, {"a", "b"});
    (void)locate(text, {std::size_t{3}});
  }
}

}  // namespace
}  // namespace ralph::json
