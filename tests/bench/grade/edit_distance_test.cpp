#include "bench/grade/edit_distance.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ralph::grade {
namespace {

std::size_t by_matrix(std::u16string_view a, std::u16string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

std::u16string random_text(std::mt19937& random, std::size_t length, int letters) {
  std::u16string text;
  for (std::size_t i = 0; i < length; ++i) {
    text +=
        static_cast<char16_t>('a' + static_cast<int>(random() % static_cast<unsigned>(letters)));
  }
  return text;
}

TEST(EditDistance, KnownPairs) {
  EXPECT_EQ(levenshtein(u"", u""), 0U);
  EXPECT_EQ(levenshtein(u"abc", u""), 3U);
  EXPECT_EQ(levenshtein(u"kitten", u"sitting"), 3U);
  EXPECT_EQ(levenshtein(u"flaw", u"lawn"), 2U);
  EXPECT_DOUBLE_EQ(*similarity(u"", u"", 1), 1);
  EXPECT_DOUBLE_EQ(*similarity(u"abcd", u"abxd", 1), 0.75);
}

// The same number as the full matrix gives, whichever method computes it.
TEST(EditDistance, EqualsTheMatrixOnRandomPairs) {
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    const auto a = random_text(random, random() % 200, 1 + i % 6);
    const auto b = random_text(random, random() % 200, 1 + i % 6);
    ASSERT_EQ(levenshtein(a, b), by_matrix(a, b)) << i;
  }
}

TEST(EditDistance, EqualsTheMatrixWhereTheDistanceIsLarge) {
  std::mt19937 random(11);
  const auto a = random_text(random, 4200, 200), b = random_text(random, 4100, 200);
  ASSERT_EQ(levenshtein(a, b), by_matrix(a, b));
  ASSERT_EQ(levenshtein(b, a), by_matrix(a, b));
}

TEST(EditDistance, CountsUtf16CodeUnits) {
  EXPECT_EQ(to_utf16("é"), u"é");
  EXPECT_EQ(to_utf16("€"), u"€");
  EXPECT_EQ(to_utf16("😀"), u"😀");
  EXPECT_EQ(to_utf16("😀").size(), 2U);
  EXPECT_EQ(to_utf16("a\xff"), u"a\uFFFD");
}

TEST(EditDistance, FewEditsInALargeTextAreFast) {
  std::mt19937 random(3);
  auto a = random_text(random, 1'000'000, 26);
  auto b = a;
  for (int i = 0; i < 100; ++i) b[random() % b.size()] = u'!';
  EXPECT_LE(levenshtein(a, b), 100U);
  EXPECT_TRUE(bounded_levenshtein(a, b, 0));
}

}  // namespace
}  // namespace ralph::grade
