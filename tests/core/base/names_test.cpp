#include "core/base/names.h"

#include <gtest/gtest.h>

namespace ralph {
namespace {

TEST(Names, AShellWordIsQuotedWhereItHasTo) {
  EXPECT_EQ(shell_word("src/a-b_c.txt"), "src/a-b_c.txt");
  EXPECT_EQ(shell_word("two words"), "'two words'");
  EXPECT_EQ(shell_word("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_word(""), "''");
}

TEST(Names, CountsHaveTheirPlural) {
  EXPECT_EQ(counted(1, "file"), "1 file");
  EXPECT_EQ(counted(0, "file"), "0 files");
  EXPECT_EQ(counted(2, "process"), "2 processes");
  EXPECT_EQ(counted(1'234'567, "line"), "1,234,567 lines");
}

}  // namespace
}  // namespace ralph
