#include "harness/loop/command_files.h"

#include <gtest/gtest.h>

#include "harness/loop/test_files.h"
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
  CommandFiles of(const std::string& command) const {
    return files_of({command}, folder.path(), {"PATH=/usr/bin:/bin", "HOME=/home/nobody"});
  }
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

TEST(CommandFiles, AnyFolderAndAnyWrapperLeadsToTheScript) {
  const FilesBench bench;
  bench.folder.write("sub/run.sh", "x", 0700);
  bench.folder.write("sub/Makefile", "x");
  bench.folder.write("other.mk", "x");
  for (const auto* text : {"cd sub && ./run.sh",
                           "(cd sub; sh run.sh)",
                           "env -C sub ./run.sh",
                           "pushd sub && ./run.sh",
                           "timeout -s KILL 5 sub/run.sh",
                           "timeout -k 1 -sKILL 5 sub/run.sh",
                           "timeout --signal KILL 5 sub/run.sh",
                           "env -i -u HOME A=1 sub/run.sh",
                           "env -S 'sub/run.sh -x'",
                           "nice -n 5 nohup setsid stdbuf -o L sub/run.sh",
                           "sudo -u nobody -- sub/run.sh",
                           "ls | xargs -n 1 sub/run.sh",
                           "time -p sub/run.sh",
                           "flock lock -c 'sub/run.sh'",
                           "bash -lc 'cd sub && ./run.sh'",
                           "eval 'cd sub; ./run.sh'",
                           "trap 'sub/run.sh' EXIT",
                           "sh <sub/run.sh",
                           "bash <<<'sub/run.sh'",
                           "poetry run sub/run.sh",
                           "find . -maxdepth 0 -exec sub/run.sh {} \\;",
                           "bash -euo pipefail sub/run.sh",
                           "\"$PWD/sub/run.sh\"",
                           "$(pwd)/sub/run.sh",
                           "unknown-wrapper -x sub/run.sh",
                           "sub/run.sh >log",
                           "sub/run.sh >log 2>&1 || cat log",
                           "node -r ./sub/run.sh check.js",
                           "true & sub/run.sh",
                           "sub/run.sh 2>&1 | tee log",
                           "set -o pipefail; sub/run.sh | tail -n 5 | cat",
                           "x=${Y:-1}; sub/run.sh",
                           "x=$((1+1)) && sh sub/run.sh"}) {
    EXPECT_EQ(bench.of(text).scripts, Words{"sub/run.sh"}) << text;
  }
  EXPECT_EQ(bench.of("make -C sub").inputs, (Words{"Makefile", "sub/Makefile"}));
  EXPECT_EQ(bench.of("make -f other.mk").inputs, (Words{"Makefile", "other.mk"}));
  EXPECT_EQ(bench.of("sed -n 1p check.sh").scripts, Words{});
  EXPECT_EQ(bench.of("awk -f tools/check.py check.sh").scripts, Words{"tools/check.py"});
}

TEST(CommandFiles, LinksOnTheWayAreWatchedToo) {
  const FilesBench bench;
  std::filesystem::create_directory_symlink("tools", bench.folder / "link");
  std::filesystem::create_symlink("check.sh", bench.folder / "run");
  EXPECT_EQ(bench.of("sh link/check.py").scripts, (Words{"link", "tools/check.py"}));
  EXPECT_EQ(bench.of("sh run").scripts, (Words{"check.sh", "run"}));
}

TEST(CommandFiles, ScriptsOutsideAreNamedByTheirRealPath) {
  const FilesBench bench;
  const auto outside = [&](const std::string& command) {
    return files_of({command}, bench.folder / "tools", {"PATH=/usr/bin:/bin"}).outside;
  };
  const auto check = (bench.folder / "check.sh").native();
  EXPECT_EQ(outside("../check.sh"), Words{check});
  EXPECT_EQ(outside("cd .. && sh check.sh"), Words{check});
  EXPECT_EQ(outside(check), Words{check});
  EXPECT_EQ(outside("grep x ../check.sh"), Words{});
  bench.folder.write(".git/hooks/pre-commit", "x");
  EXPECT_EQ(bench.of(".git/hooks/pre-commit").outside,
            Words{(bench.folder / ".git/hooks/pre-commit").native()});
}

TEST(CommandFiles, ANameThatBeginsWithTwoDotsIsNotTheParent) {
  const test::TempFolder folder;
  folder.write("..tools/check.sh", "x");
  folder.write("..check.sh", "x");
  const auto files = files_of({"./..check.sh && ..tools/check.sh"}, folder.path(), {});
  EXPECT_EQ(files.scripts, (Words{"..check.sh", "..tools/check.sh"}));
  EXPECT_EQ(files.outside, Words{});
  const auto below = files_of({"sh check.sh"}, folder / "..tools", {});
  EXPECT_EQ(below.scripts, Words{"check.sh"});
}

TEST(CommandFiles, SaysWhatIsNotKnown) {
  const FilesBench bench;
  EXPECT_EQ(bench.of("for t in tests/*; do sh $t || exit 1; done").unknown, Words{"$t"});
  EXPECT_EQ(bench.of("no-such-program x").unknown, Words{"no-such-program"});
  EXPECT_EQ(bench.of("cat check.sh | sh").unknown, Words{"sh"});
  EXPECT_EQ(bench.of("sleep 1 & wait").unknown, Words{"& wait"});
  EXPECT_EQ(bench.of("PATH=/x:$PATH ls").unknown, Words{"PATH=/x:$PATH"});
  EXPECT_EQ(bench.of("env PATH=/x ls").unknown, Words{"PATH=/x"});
  bench.folder.write("run", "x", 0700);
  EXPECT_EQ(bench.of("ldd ./run").unknown, Words{"ldd"});
  EXPECT_EQ(bench.of("grep x ./run").unknown, Words{});
  EXPECT_EQ(bench.of("make test").readers, Words{"make"});
  for (const auto* text :
       {"make test", "./check.sh", "grep -x Hello a", "test -f a && ls | wc -l"}) {
    EXPECT_EQ(bench.of(text).unknown, Words{}) << text;
  }
}

TEST(CommandFiles, WhatOthersJudgeIsNoScript) {
  const FilesBench bench;
  for (const auto* text :
       {"python3 tools/check.py | grep ok", "[ $(sh check.sh) = ok ]", "test `./check.sh` = 1",
        "./check.sh >out && cmp out good", "./check.sh | tee out; cmp out good",
        "./check.sh | head -n 1 | grep ok", "cat Makefile | sh check.sh | tail -1 | grep ok"}) {
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
  EXPECT_EQ(bench.of("npm --prefix=. test").inputs, Words{"package.json"});
  EXPECT_EQ(bench.of("pytest tests/test_a.py").inputs, (Words{"conftest.py", "tests/test_a.py"}));
  EXPECT_EQ(bench.of("python3 -m pytest tests/test_a.py").inputs,
            (Words{"conftest.py", "tests/test_a.py"}));
  EXPECT_EQ(bench.of("python3 -m tests.test_a").inputs, Words{"tests/test_a.py"});
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
  for (const auto* path :
       {"tests/a.c", "src/test/java/A.java", "a/test_x.py", "x_test.go", "app.spec.ts",
        "conftest.py", "FooTest.java", "a.test.js", "test.c", "src/tests.py", "t/basic.t"}) {
    EXPECT_TRUE(is_test_file(path)) << path;
  }
  for (const auto* path : {"src/a.c", "latest/a.c", "contest.py", "README.md", "attests.txt",
                           "Makefile", "package.json"}) {
    EXPECT_FALSE(is_test_file(path)) << path;
  }
  for (const auto* path : {"Makefile", "web/package.json", ".github/workflows/ci.yml"}) {
    EXPECT_TRUE(is_build_file(path)) << path;
  }
  EXPECT_FALSE(is_build_file("src/a.c"));
}

}  // namespace
}  // namespace ralph::loop
