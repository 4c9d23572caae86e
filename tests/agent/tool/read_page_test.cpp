#include "agent/tool/builtin_tools.h"
#include "agent/tool/harness.h"
#include "agent/tool/text_encoding.h"
#include "agent/tool/token_estimate.h"

namespace ralph::tool {
namespace {

/// About 12 tokens a line.
std::string lines(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) {
    text += "line " + std::to_string(i) + " of the file with some words in it\n";
  }
  return text;
}

Called read_page(Desk& desk, Document input) { return desk.call(read_tool(), input); }

TEST(TokenEstimate, CountsTheKindsOfBytes) {
  EXPECT_EQ(estimated_tokens(""), 0);
  EXPECT_EQ(estimated_tokens("four letters"), 3);
  EXPECT_EQ(estimated_tokens("12345678"), 4);
  EXPECT_EQ(estimated_tokens("\u6F22\u5B57\u6F22\u5B57\u6F22"), 6);
}

TEST(ReadPage, AFileWithinTheCapIsShownInFull) {
  Desk desk;
  desk.put("a", lines(1900));
  const auto called = read_page(desk, {{"file_path", "a"}});
  EXPECT_EQ(called.detail["file"]["numLines"], 1901);
  EXPECT_FALSE(called.detail["file"].contains("truncatedByTokenCap"));
}

TEST(ReadPage, ALargerFileIsShownInPart) {
  Desk desk;
  desk.put("a", lines(5000));
  const auto called = read_page(desk, {{"file_path", "a"}});
  ASSERT_FALSE(called.failed) << called.text();
  const auto& file = called.detail["file"];
  EXPECT_EQ(file["truncatedByTokenCap"], true);
  EXPECT_EQ(file["totalLines"], 5001);
  const auto shown = file["numLines"].get<int>();
  EXPECT_GT(shown, 1500);
  EXPECT_LE(shown, 1897) << "what Claude Code shows where four bytes are a token";
  const auto next = "offset=" + std::to_string(shown + 1);
  EXPECT_NE(called.text().find(next), std::string::npos);
  EXPECT_LE(estimated_tokens(called.text()), 25'200);
  EXPECT_TRUE(desk.workspace().seen(desk.file("a")));
  const auto rest = read_page(desk, {{"file_path", "a"}, {"offset", shown + 1}, {"limit", shown}});
  EXPECT_EQ(rest.detail["file"]["numLines"], shown) << "the hint leads to the next page";
}

TEST(ReadPage, ARangeOverTheCapIsRefusedWithItsSize) {
  Desk desk;
  desk.put("a", lines(5000));
  for (const Document& input : {Document{{"file_path", "a"}, {"offset", 1}, {"limit", 4900}},
                                Document{{"file_path", "a"}, {"offset", 100}}}) {
    const auto called = read_page(desk, input);
    EXPECT_TRUE(called.failed);
    EXPECT_NE(called.text().find("tokens (estimated)"), std::string::npos) << called.text();
    EXPECT_NE(called.text().find("25000"), std::string::npos);
  }
}

TEST(ReadPage, AVariableSetsTheCap) {
  Desk desk({.variables = {"CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS=1000"}});
  desk.put("a", lines(500));
  const auto called = read_page(desk, {{"file_path", "a"}});
  EXPECT_EQ(called.detail["file"]["truncatedByTokenCap"], true);
  EXPECT_LT(called.detail["file"]["numLines"].get<int>(), 100);
}

TEST(ReadPage, ALineOverTheCapIsCut) {
  Desk desk;
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += "\u00FCber ";
  desk.put("a", text + "\nend\n");
  const auto called = read_page(desk, {{"file_path", "a"}});
  EXPECT_EQ(called.detail["file"]["numLines"], 1);
  EXPECT_EQ(called.detail["file"]["truncatedByTokenCap"], true);
  const auto shown = called.detail["file"]["content"].get<std::string>();
  EXPECT_TRUE(text.starts_with(shown));
  EXPECT_GT(shown.size(), 30'000u);
  EXPECT_LE(estimated_tokens(shown), 25'000);
}

std::string utf16(std::string_view text, Encoding encoding) { return encoded(text, encoding); }

/// The offset and limit that a page suggests must show something.
TEST(ReadPage, ALongLineAfterAShortOneIsCutOnRequest) {
  Desk desk;
  for (const auto length : {150'000u, 600'000u}) {
    desk.put("a", "short\n" + std::string(length, '7') + "\nend\n");
    const auto called = read_page(desk, {{"file_path", "a"}, {"offset", 2}, {"limit", 1}});
    EXPECT_FALSE(called.failed) << called.text();
    EXPECT_TRUE(called.text().starts_with("2\t777"));
    EXPECT_EQ(called.detail["file"]["startLine"], 2);
    EXPECT_NE(called.text().find("bytes of line 2;"), std::string::npos);
    EXPECT_TRUE(read_page(desk, {{"file_path", "a"}, {"offset", 1}, {"limit", 2}}).failed);
  }
  desk.put("wide", utf16(std::string(600'000, '7'), Encoding::utf16_little));
  EXPECT_TRUE(read_page(desk, {{"file_path", "wide"}, {"limit", 1}}).text().starts_with("1\t777"));
}

TEST(ReadPage, AllowLargeShowsWhatFitsIntoTheContext) {
  Desk desk;
  desk.put("a", lines(6500));
  desk.workspace().set_read_room(90'000);
  const Document input{{"file_path", "a"}, {"allow_large", true}};
  EXPECT_EQ(read_page(desk, input).detail["file"]["numLines"], 6501);
  const auto second = read_page(desk, input);
  EXPECT_EQ(second.detail["file"]["truncatedByTokenCap"], true) << "the first took the room";
  const auto range =
      read_page(desk, {{"file_path", "a"}, {"allow_large", true}, {"offset", 2}, {"limit", 6000}});
  EXPECT_TRUE(range.failed);
}

TEST(ReadPage, AHugeFileIsNeverSentWhole) {
  Desk desk;
  desk.put("a", lines(230'000));
  desk.workspace().set_read_room(600'000);
  const auto called = read_page(desk, {{"file_path", "a"}, {"allow_large", true}});
  EXPECT_FALSE(called.failed);
  EXPECT_LT(called.text().size(), 120'000u);
  EXPECT_EQ(called.detail["file"]["totalLines"], 230'001);
}

TEST(ReadPage, NumbersBelowOneCountAsAbsent) {
  Desk desk;
  desk.put("a", "1\n2\n3\n");
  EXPECT_EQ(read_page(desk, {{"file_path", "a"}, {"offset", -1}, {"limit", 2}}).text(),
            "1\t1\n2\t2");
  EXPECT_EQ(read_page(desk, {{"file_path", "a"}, {"offset", 3}, {"limit", 0}}).text(), "3\t3\n4\t");
  EXPECT_EQ(read_page(desk, {{"file_path", "a"}, {"limit", -5}}).text(), "1\t1\n2\t2\n3\t3\n4\t");
}

TEST(ReadPage, ShowsUtf16WithAByteOrderMark) {
  Desk desk;
  for (const auto encoding : {Encoding::utf16_little, Encoding::utf16_big}) {
    desk.put("a", utf16("eins\r\nzwei \u00FC \U0001F600\r\n", encoding));
    EXPECT_EQ(read_page(desk, {{"file_path", "a"}}).text(),
              "1\teins\n2\tzwei \u00FC \U0001F600\n3\t");
    EXPECT_EQ(read_page(desk, {{"file_path", "a"}, {"offset", 2}, {"limit", 1}}).text(),
              "2\tzwei \u00FC \U0001F600");
  }
  desk.put("odd", utf16("a\n", Encoding::utf16_little) + std::string("\x3D\xD8z", 3));
  EXPECT_EQ(read_page(desk, {{"file_path", "odd"}}).text(), "1\ta\n2\t\uFFFD\uFFFD");
  desk.put("unmarked", utf16("eins\n", Encoding::utf16_little).substr(2));
  EXPECT_TRUE(read_page(desk, {{"file_path", "unmarked"}}).failed);
  desk.put("utf32", std::string("\xFF\xFE\0\0a\0\0\0", 8));
  EXPECT_TRUE(read_page(desk, {{"file_path", "utf32"}}).failed);
}

}  // namespace
}  // namespace ralph::tool
