#include "core/base/number.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace ralph {
namespace {

TEST(Number, IsTheWholeText) {
  EXPECT_EQ(parse_number<int>("42"), 42);
  EXPECT_EQ(parse_number<int>("-42"), -42);
  EXPECT_EQ(parse_number<unsigned>("ff", 16), 255u);
  EXPECT_EQ(parse_number<double>("1.5e2"), 150.0);
  for (const auto* text : {"", " 42", "42 ", "4x", "+4", "x"}) {
    EXPECT_EQ(parse_number<int>(text), std::nullopt) << text;
  }
}

TEST(Number, ThatDoesNotFitIsNone) {
  EXPECT_EQ(parse_number<std::uint16_t>("65535"), 65535);
  EXPECT_EQ(parse_number<std::uint16_t>("65536"), std::nullopt);
  EXPECT_EQ(parse_number<unsigned>("-1"), std::nullopt);
  EXPECT_EQ(leading_number<std::int64_t>("99999999999999999999 tokens"), std::nullopt);
}

TEST(Number, IsTakenFromTheStart) {
  std::string_view text = "12 of 30";
  EXPECT_EQ(take_number<int>(text), 12);
  EXPECT_EQ(text, " of 30");
  EXPECT_EQ(take_number<int>(text), std::nullopt);
  EXPECT_EQ(text, " of 30");
  EXPECT_EQ(leading_number<int>("7s"), 7);
}

}  // namespace
}  // namespace ralph
