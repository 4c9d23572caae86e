#include "core/base/program_file.h"

#include <gtest/gtest.h>

namespace ralph {
namespace {

using Words = std::vector<std::string>;

TEST(ProgramFile, ReadsTheInterpreterOfAScript) {
  EXPECT_EQ(shebang_words("#!/bin/sh\necho\n"), Words{"/bin/sh"});
  EXPECT_EQ(shebang_words("#! /usr/bin/env  node\r\n"), (Words{"/usr/bin/env", "node"}));
  EXPECT_EQ(shebang_words("#!/bin/sh"), Words{"/bin/sh"});
  EXPECT_EQ(shebang_words("#!\n/bin/sh"), Words{});
  EXPECT_EQ(shebang_words("echo"), Words{});
}

TEST(ProgramFile, KnowsCompiledPrograms) {
  EXPECT_TRUE(
      is_elf("\x7f"
             "ELF\x02"));
  EXPECT_FALSE(
      is_elf("\x7f"
             "EL"));
  EXPECT_FALSE(is_elf("#!/bin/sh"));
}

}  // namespace
}  // namespace ralph
