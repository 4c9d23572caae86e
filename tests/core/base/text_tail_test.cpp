#include "core/base/text_tail.h"

#include <gtest/gtest.h>

namespace ralph {
namespace {

TEST(TextTail, KeepsTheEndHoweverItArrives) {
  const std::string text = "0123456789abcdef";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    TextTail tail(5);
    for (std::size_t at = 0; at < text.size(); at += piece) tail.add(text.substr(at, piece));
    EXPECT_EQ(tail.text(), "bcdef") << piece;
    EXPECT_TRUE(tail.cut());
  }
}

TEST(TextTail, KeepsAllOfAShortText) {
  TextTail tail(5);
  EXPECT_EQ(tail.text(), "");
  tail.add("ab");
  tail.add("cde");
  EXPECT_EQ(tail.text(), "abcde");
  EXPECT_FALSE(tail.cut());
  tail.clear();
  EXPECT_EQ(tail.text(), "");
}

TEST(TextTail, BeginsAtACodePoint) {
  TextTail tail(5);
  tail.add("äöü");
  EXPECT_EQ(tail.text(), "öü");
}

}  // namespace
}  // namespace ralph
