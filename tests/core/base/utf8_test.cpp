#include "core/base/utf8.h"

#include <random>

#include <gtest/gtest.h>

namespace ralph::utf8 {
namespace {

const std::string kFffd = "\xEF\xBF\xBD";

TEST(Utf8, KnowsWellFormedText) {
  for (const std::string_view text :
       {"", "plain ascii, longer than eight bytes", "grüße", "日本語", "🙂", "\xF4\x8F\xBF\xBF",
        "\xEE\x80\x80", "\xED\x9F\xBF", "a\x7F"}) {
    EXPECT_TRUE(valid(text)) << text;
  }
}

TEST(Utf8, KnowsEveryKindOfMalformedText) {
  for (const std::string_view text :
       {"\x80", "\xC0\xAF", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC3", "\xE6\x97", "\xF0\x9F\x99",
        "eight ascii bytes, then \xC3(", "日本\xE8\xAA"}) {
    EXPECT_FALSE(valid(text)) << text;
  }
}

TEST(Utf8, RepairsEachBadByteAndKeepsTheRest) {
  EXPECT_EQ(repaired("a\xFF"
                     "b"),
            "a" + kFffd + "b");
  EXPECT_EQ(repaired("\xED\xA0\x80"), kFffd + kFffd + kFffd);
  EXPECT_EQ(repaired("grüße\xC3"), "grüße" + kFffd);
  EXPECT_EQ(repaired("日本語 🙂"), "日本語 🙂");
}

TEST(Utf8, RepairedTextIsAlwaysValidAndStable) {
  std::mt19937 random(7);
  const std::string_view alphabet =
      "ab\x80\xBF\xC3\xA4\xE6\x97\xA5\xED\xA0\xF0\x9F\x99\x82\xF4\xFF";
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (auto length = random() % 24; length > 0; --length) {
      text += alphabet[random() % alphabet.size()];
    }
    const auto mended = repaired(text);
    ASSERT_TRUE(valid(mended));
    ASSERT_EQ(repaired(mended), mended);
    if (valid(text)) {
      ASSERT_EQ(mended, text);
    }
  }
}

TEST(Utf8, PrefixEndsBetweenCodePoints) {
  const std::string_view text = "aä日🙂";  // 1 + 2 + 3 + 4 bytes
  const std::string_view expected[] = {"",     "a",    "a",    "aä",   "aä",    "aä",
                                       "aä日", "aä日", "aä日", "aä日", "aä日🙂"};
  for (std::size_t bytes = 0; bytes <= text.size(); ++bytes) {
    EXPECT_EQ(prefix(text, bytes), expected[bytes]) << bytes;
  }
  EXPECT_EQ(prefix(text, 1000), text);
}

TEST(Utf8, PrefixOfBrokenTextStillGetsOn) {
  EXPECT_EQ(prefix(std::string(100, '\x80'), 50).size(), 50U);
}

TEST(Utf8, ShortenedCountsCodePointsAndMarksTheCut) {
  EXPECT_EQ(shortened("aä日🙂", 4), "aä日🙂");
  EXPECT_EQ(shortened("aä日🙂", 3), "aä日…");
  EXPECT_EQ(shortened("aä日🙂", 0), "…");
  EXPECT_EQ(shortened("", 0), "");
  EXPECT_EQ(shortened(std::string(9, '\x80'), 2), "\x80\x80…");
}

TEST(Utf8, AppendEncodesEveryLength) {
  std::string out;
  for (const char32_t c : {U'a', U'ä', U'日', U'🙂', char32_t{0x10FFFF}}) append(out, c);
  EXPECT_EQ(out, "aä日🙂\xF4\x8F\xBF\xBF");
}

TEST(Utf8, AppendReplacesWhatIsNoCodePoint) {
  std::string out;
  for (const char32_t c : {0xD800U, 0xDFFFU, 0x110000U}) append(out, c);
  EXPECT_EQ(out, kFffd + kFffd + kFffd);
}

TEST(Utf8, EveryCodePointSurvives) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string out;
    append(out, c);
    ASSERT_TRUE(valid(out)) << static_cast<unsigned>(c);
    ASSERT_EQ(prefix(out + "x", out.size()), out);
    ASSERT_EQ(prefix(out, out.size() - 1), "");
  }
}

TEST(Utf8, CountsCodePointsAndStrayBytes) {
  EXPECT_EQ(utf8::count(""), 0u);
  EXPECT_EQ(utf8::count("plain text"), 10u);
  EXPECT_EQ(utf8::count("ä€😀x"), 4u);
  EXPECT_EQ(utf8::count("\x80\xff\xe2\x82"), 4u);
}

}  // namespace
}  // namespace ralph::utf8
