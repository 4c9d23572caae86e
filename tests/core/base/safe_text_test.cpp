#include "core/base/safe_text.h"

#include <gtest/gtest.h>

#include "core/base/utf8.h"

namespace ralph {
namespace {

TEST(SafeText, KeepsOrdinaryText) {
  for (const std::string text : {"", "plain", "two\nlines\tand a tab", "größe 日本 😀", "\n\n"}) {
    EXPECT_EQ(safe_text(text), text);
  }
}

TEST(SafeText, DropsColourAndCursorSequences) {
  EXPECT_EQ(safe_text("\x1b[31mred\x1b[0m \x1b[2J\x1b[1;1H\x1b[?25hx"), "red x");
}

TEST(SafeText, ShowsOtherControlCharacters) {
  EXPECT_EQ(safe_text("\x1b]0;title\x07"), "␛]0;title␇");
  EXPECT_EQ(safe_text("\x1b"), "␛");
  EXPECT_EQ(safe_text("\x1b["), "␛[");
  EXPECT_EQ(safe_text("\x1b[12"), "␛[12");
  EXPECT_EQ(safe_text("\x1b[1\x1b[2m"), "␛[1");
  EXPECT_EQ(safe_text(std::string_view("\0\x08\x7f", 3)), "␀␈␡");
  EXPECT_EQ(safe_text("over\rwrite"), "over␍write");
  EXPECT_EQ(safe_text("line\r\n"), "line\n");
}

TEST(SafeText, TextCannotTurnTheDirectionAround) {
  EXPECT_EQ(safe_text("a\u202eb\u2066c\u2027d"), "a\uFFFDb\uFFFDc\u2027d");
  EXPECT_EQ(safe_text("\u061cx\u200ey\u200fz"), "\uFFFDx\uFFFDy\uFFFDz");
}

TEST(SafeText, ReplacesC1AndInvalidUtf8) {
  EXPECT_EQ(safe_text("\xC2\x9B"
                      "31m"),
            "\xEF\xBF\xBD"
            "31m");
  EXPECT_EQ(safe_text("\x9B"
                      "31m\xFF"),
            "\xEF\xBF\xBD"
            "31m\xEF\xBF\xBD");
  EXPECT_EQ(safe_text("\xC2\xA0\xC2"), "\xC2\xA0\xEF\xBF\xBD");
}

TEST(SafeText, NeverLetsAControlCharacterThrough) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text{'\x1b', static_cast<char>(first), static_cast<char>(second), 'm'};
      const auto safe = safe_text(text);
      EXPECT_TRUE(utf8::valid(safe));
      for (std::size_t i = 0; i < safe.size(); ++i) {
        const auto byte = static_cast<unsigned char>(safe[i]);
        EXPECT_TRUE((byte >= 0x20 && byte != 0x7F) || byte == '\n' || byte == '\t')
            << first << ' ' << second;
        const bool c1 = byte == 0xC2 && static_cast<unsigned char>(safe[i + 1]) < 0xA0;
        EXPECT_FALSE(c1) << first << ' ' << second;
      }
    }
  }
}

TEST(TerminalControl, IsEscapeSequencesOnly) {
  // What Claude Code prints when it ends on a terminal.
  EXPECT_TRUE(
      is_terminal_control("\x1b[?1006l\x1b(B\x0f\x1b[>4m\x1b[<u\x1b[?25h\x1b"
                          "7\x1b[r\x1b"
                          "8\x1b]0;\a\x1b[?25h"));
  EXPECT_TRUE(is_terminal_control(" \r\x1b]0;title\x1b\\\x1b[0m\t"));
  EXPECT_TRUE(is_terminal_control(""));
  for (const auto* text : {"a", "\x1b[0m{", "{\x1b[0m", "\x1b", "\x1b[", "\x1b[0", "\x1b]0;title",
                           "\x1b]0;title\x1b[0m", "\x1b(", "\x1b\x1b[0m"})
    EXPECT_FALSE(is_terminal_control(text)) << text;
}

TEST(OneLine, FlattensTrimsAndCuts) {
  EXPECT_EQ(one_line("a\nb\tc\n\n", 200), "a b c");
  EXPECT_EQ(one_line("\n  a", 200), "a");
  EXPECT_EQ(one_line(" \n ", 200), "");
  EXPECT_EQ(one_line("äöü", 3), "äöü");
  EXPECT_EQ(one_line("äöüß", 3), "äöü…");
}

}  // namespace
}  // namespace ralph
