#include "ui/console/style.h"

#include <gtest/gtest.h>

namespace ralph::console {
namespace {

TEST(StyledText, KeepsOurOwnSequencesAndNoOther) {
  EXPECT_EQ(safe_styled_text("\x1b[1;31m[Error]\x1b[0m text\n"), "\x1b[1;31m[Error]\x1b[0m text\n");
  EXPECT_EQ(safe_styled_text("\r\x1b[Kline"), "\r\x1b[Kline");
  EXPECT_EQ(safe_styled_text("\x1b[2J\x1b[31mx\x1b[8m\ry\x1b]52;c;eA==\x07"), "x␍y␛]52;c;eA==␇");
  EXPECT_EQ(safe_styled_text("\x1b\x1b[0m\xC2\x9B"
                             "0m"),
            "␛\x1b[0m\uFFFD0m");
  EXPECT_EQ(safe_styled_text("\x1b"), "␛");
  EXPECT_EQ(safe_styled_text(""), "");
}

}  // namespace
}  // namespace ralph::console
