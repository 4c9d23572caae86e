#include "loop/command_files.h"

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace ralph::loop {
namespace {

using Words = std::vector<std::string>;

struct FilesBench {
  FilesBench() {
    for (const auto* name : {"check.sh", "tools/check.py", "Makefile", "package.json",
                             "tests/test_a.py", "conftest.py", "with space.sh"}) {
      folder.write(name, "x");
    }
  }
  CommandFiles of(const std::string& command) const { return files_of({command}, folder.path()); }
  test::TempFolder folder;
};

TEST(CommandFiles, ScriptsAreWhatIsRun) {
  const FilesBench bench;
  EXPECT_EQ(bench.of("./check.sh --fast").scripts, Words{"check.sh"});
  EXPECT_EQ(bench.of("CI=1 timeout 60 ./check.sh").scripts, Words{"check.sh"});
  EXPECT_EQ(bench.of("bash -e check.sh").scripts, Words{"check.sh"});
  EXPECT_EQ(bench.of("python3 tools/check.py check.sh").scripts, Words{"tools/check.py"});
  EXPECT_EQ(bench.of("make && ./check.sh").scripts, Words{"check.sh"});
  EXPECT_EQ(bench.of("if ./check.sh; then exit 0; fi").scripts, Words{"check.sh"});
  EXPECT_EQ(bench.of("(cd x; ./'with space.sh')").scripts, Words{"with space.sh"});
  EXPECT_EQ(bench.of((bench.folder / "check.sh").native()).scripts, Words{"check.sh"});
  EXPECT_EQ(bench.of("./missing.sh").scripts, Words{});
  EXPECT_EQ(bench.of("sh -c 'make && ./check.sh'").scripts, Words{"check.sh"});
  EXPECT_EQ(bench.of("perl -e check.sh").scripts, Words{});
}

TEST(CommandFiles, WhatOthersJudgeIsNoScript) {
  const FilesBench bench;
  for (const auto* text :
       {"python3 tools/check.py | grep ok", "[ $(sh check.sh) = ok ]", "test `./check.sh` = 1",
        "./check.sh >out && cmp out good", "cat Makefile | sh check.sh | tail -1"}) {
    EXPECT_EQ(bench.of(text).scripts, Words{}) << text;
    EXPECT_FALSE(bench.of(text).inputs.empty()) << text;
  }
  for (const auto* text : {"./check.sh >/dev/null", "./check.sh 2>errors", "./check.sh || exit 1",
                           "./check.sh >&2", "(./check.sh)", "echo | ./check.sh", "./check.sh &"}) {
    EXPECT_EQ(bench.of(text).scripts, Words{"check.sh"}) << text;
  }
}

TEST(CommandFiles, InputsAreWhatProgramsRead) {
  const FilesBench bench;
  EXPECT_EQ(bench.of("make test").inputs, Words{"Makefile"});
  EXPECT_EQ(bench.of("npm test").inputs, Words{"package.json"});
  EXPECT_EQ(bench.of("pytest tests/test_a.py").inputs, (Words{"conftest.py", "tests/test_a.py"}));
  EXPECT_EQ(bench.of("python3 -m pytest tests/test_a.py").inputs,
            (Words{"conftest.py", "tests/test_a.py"}));
  EXPECT_EQ(bench.of("cat <check.sh").inputs, Words{"check.sh"});
  EXPECT_EQ(bench.of("cat ../x /etc/passwd .git/config").inputs, Words{});
}

TEST(CommandFiles, ProgramsAreWordsWithoutASlash) {
  const FilesBench bench;
  EXPECT_EQ(bench.of("A=1 make -j2 | tee log").programs, (Words{"make", "tee"}));
  EXPECT_EQ(bench.of("/usr/bin/make").programs, Words{});
}

TEST(CommandFiles, AnythingIsReadWithoutHarm) {
  const FilesBench bench;
  for (const auto* text : {"", "'", "\"", "\\", ";;;", "((((", "a=", "$(", "\n\n", "-"}) {
    EXPECT_TRUE(bench.of(text).scripts.empty()) << text;
  }
}

TEST(CommandFiles, TestFilesAreKnownByTheirNames) {
  for (const auto* path : {"tests/a.c", "src/test/java/A.java", "a/test_x.py", "x_test.go",
                           "app.spec.ts", "conftest.py", "Makefile", ".github/workflows/ci.yml",
                           "FooTest.java", "a.test.js", "package.json"}) {
    EXPECT_TRUE(is_test_file(path)) << path;
  }
  for (const auto* path : {"src/a.c", "latest/a.c", "contest.py", "README.md", "attests.txt"}) {
    EXPECT_FALSE(is_test_file(path)) << path;
  }
}

}  // namespace
}  // namespace ralph::loop
