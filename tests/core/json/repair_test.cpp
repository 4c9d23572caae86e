#include "core/json/repair.h"

#include <gtest/gtest.h>

namespace ralph::json {
namespace {

const std::string kFffd = "\xEF\xBF\xBD";
const std::string kBom = "\xEF\xBB\xBF";

TEST(Repair, LeavesGoodTextAlone) {
  for (const std::string_view text :
       {R"("plain")", R"("\ud83d\ude42")", R"("\uD83D\uDE42 and \ud83d\ude42\ud83d\ude42")",
        R"("\\ud83d")", R"("\\\\ud83d")", R"("C:\\ud83d\\udc00")", R"("\u0041\ufffd\ud7ff\ue000")",
        R"("\" \/ \b \f \n \r \t")", "\"grüße 日本語 🙂\"", "", "{}", "not JSON at all",
        R"("\u12")", R"("\ud83")", R"(\)", R"("\ud8)"}) {
    EXPECT_EQ(repair(text), std::nullopt) << text;
  }
}

TEST(Repair, ReplacesLoneSurrogates) {
  const struct {
    std::string_view text;
    std::string_view expected;
  } table[] = {{R"("\ud83d")", R"("\ufffd")"},
               {R"("x\ud83dy")", R"("x\ufffdy")"},
               {R"("\ude42")", R"("\ufffd")"},
               {R"("\uDE42\uD83D")", R"("\ufffd\ufffd")"},
               {R"("\ud83d\ud83d\ude42")", R"("\ufffd\ud83d\ude42")"},
               {R"("\ud83d\ude42\ude42")", R"("\ud83d\ude42\ufffd")"},
               {R"("\ud83d\n")", R"("\ufffd\n")"},
               {R"("\ud83d\\ude42")", R"("\ufffd\\ude42")"},
               {R"("\\\ud83d")", R"("\\\ufffd")"},
               {R"("\ud83d\u0041")", R"("\ufffd\u0041")"},
               {R"("\udbff","\udc00")", R"("\ufffd","\ufffd")"},
               {R"(\ud83d)", R"(\ufffd)"}};
  for (const auto& row : table) {
    const auto mended = repair(row.text);
    ASSERT_TRUE(mended) << row.text;
    EXPECT_EQ(*mended, row.expected) << row.text;
    EXPECT_EQ(repair(*mended), std::nullopt) << row.text;
  }
}

TEST(Repair, ReplacesInvalidBytes) {
  EXPECT_EQ(repair("\"a\xFF\xC3\""), "\"a" + kFffd + kFffd + "\"");
  EXPECT_EQ(repair("\"\\\xFF\""), "\"\\" + kFffd + "\"");
  EXPECT_EQ(repair("\"\\ud83d\xFF\""), "\"\\ufffd" + kFffd + "\"");
}

TEST(Repair, DropsByteOrderMarksInFrontOnly) {
  EXPECT_EQ(repair(kBom + "{}"), "{}");
  EXPECT_EQ(repair(kBom + kBom + "{}"), "{}");
  EXPECT_EQ(repair(kBom), "");
  EXPECT_EQ(repair("\"" + kBom + "\""), std::nullopt);
  EXPECT_EQ(repair(kBom + R"("\ud83d)" + "\xFF\""), R"("\ufffd)" + kFffd + "\"");
}

TEST(Repair, MendsLongTexts) {
  std::string text;
  while (text.size() < 8'000'000) text += R"(\ud83d\\)";
  const auto mended = repair(text);
  ASSERT_TRUE(mended);
  EXPECT_EQ(mended->size(), text.size());
  EXPECT_EQ(mended->find("ud83d"), std::string::npos);
}

}  // namespace
}  // namespace ralph::json
