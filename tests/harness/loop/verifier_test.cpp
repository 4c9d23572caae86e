#include "harness/loop/verifier.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/utf8.h"
#include "harness/loop/verify_bench.h"
#include "harness/store/user_state.h"

namespace ralph::loop {
namespace {

using process::alive_with_mark;

TEST(Verifier, NothingToRun) {
  VerifyBench bench;
  const auto verifier = bench.verifier();
  ASSERT_TRUE(verifier);
  EXPECT_TRUE(verifier->files().empty());
  EXPECT_TRUE(bench.run(*verifier)->passed);
}

TEST(Verifier, AllCommandsPassInTheWorkspace) {
  VerifyBench bench;
  const auto verification =
      bench.run({"echo one > made; test -n \"$RALPH_TEST_MARK\"", "cat made"});
  ASSERT_TRUE(verification);
  EXPECT_TRUE(verification->passed);
  EXPECT_EQ(verification->command, "");
  EXPECT_EQ(bench.seen, "one\n");
  EXPECT_TRUE(std::filesystem::exists(bench.folder / "made"));
}

TEST(Verifier, TheFirstFailureEndsIt) {
  VerifyBench bench;
  const auto verification = bench.run({"true", "echo out; echo err >&2; exit 3", "touch reached"});
  ASSERT_TRUE(verification);
  EXPECT_FALSE(verification->passed);
  EXPECT_EQ(verification->command, "echo out; echo err >&2; exit 3");
  EXPECT_EQ(verification->reason, "exit code 3");
  EXPECT_NE(verification->tail.find("out\n"), std::string::npos);
  EXPECT_NE(verification->tail.find("err\n"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(bench.folder / "reached"));
}

TEST(Verifier, ASignalIsAFailure) {
  VerifyBench bench;
  EXPECT_EQ(bench.run({"kill -9 $$"})->reason, "ended by signal 9");
}

TEST(Verifier, TheTailIsTheEndAndWhole) {
  VerifyBench bench;
  const auto verification = bench.run({"yes '€€€' | head -n 20000; printf END; exit 1"});
  ASSERT_TRUE(verification);
  EXPECT_LE(verification->tail.size(), 8U << 10);
  EXPECT_GT(verification->tail.size(), 8000U);
  EXPECT_TRUE(verification->tail.ends_with("€\nEND"));
  EXPECT_TRUE(utf8::valid(verification->tail));
  EXPECT_EQ(verification->tail.find("\xEF\xBF\xBD"), std::string::npos);
  EXPECT_EQ(bench.seen.size(), 20000U * 10 + 3);
}

TEST(Verifier, AnEmptyCommandIsRefused) {
  const VerifyBench bench;
  EXPECT_EQ(bench.verifier({"true", " \n"}).error().code, Code::usage);
}

TEST(Verifier, TheCheckIsRun) {
  VerifyBench bench;
  bench.check("#!/bin/sh\ncd \"$(dirname \"$0\")/..\" && pwd && exit 4\n");
  const auto verifier = bench.verifier({"echo first"});
  ASSERT_TRUE(verifier);
  EXPECT_FALSE(verifier->files().empty());
  EXPECT_EQ(verifier->files().names(), (std::vector<std::string>{"echo first", ".ralph/check"}));
  const auto verification = bench.run(*verifier);
  ASSERT_TRUE(verification);
  EXPECT_EQ(verification->command, ".ralph/check");
  EXPECT_EQ(verification->reason, "exit code 4");
  EXPECT_EQ(bench.seen,
            "first\n" + std::filesystem::canonical(bench.folder.path()).native() + "\n");
  EXPECT_FALSE(std::filesystem::exists(bench.folder / ".ralph/check.running"));
  bench.check("exit 0");
  EXPECT_TRUE(bench.run()->passed) << "without #! it is a script for sh";
}

/// Ignores SIGTERM, never ends, and has a daemon that left its session and holds no pipe.
constexpr std::string_view kEndless = R"(trap '' TERM HUP INT
setsid sh -c 'trap "" TERM HUP INT; : > daemon; while :; do sleep 1; done' </dev/null >/dev/null 2>&1 &
while [ ! -e daemon ]; do sleep 0.01; done
echo ready
while :; do sleep 1; done
)";

TEST(Verifier, TheLimitEndsAllOfAnEndlessCheck) {
  VerifyBench bench;
  bench.limit = Millis{2000};
  bench.check("#!/bin/sh\n" + std::string(kEndless));
  const auto verification = bench.run();
  ASSERT_TRUE(verification);
  EXPECT_FALSE(verification->passed);
  EXPECT_EQ(verification->reason, "took longer than 2s");
  EXPECT_TRUE(alive_with_mark(bench.mark).empty());
}

TEST(Verifier, AStopEndsAllOfIt) {
  VerifyBench bench;
  const auto verifier = bench.verifier({std::string(kEndless), "touch reached"});
  std::stop_source stop;
  const auto verification = verifier->run(
      [&](std::string_view bytes) {
        bench.seen += bytes;
        if (bench.seen.find("ready") != std::string::npos) stop.request_stop();
      },
      stop.get_token());
  ASSERT_TRUE(verification);
  EXPECT_FALSE(verification->passed);
  EXPECT_EQ(verification->reason, "was stopped");
  EXPECT_TRUE(alive_with_mark(bench.mark).empty());
  EXPECT_FALSE(std::filesystem::exists(bench.folder / "reached"));
}

TEST(Verifier, ACommandThatPassesLeavesNothingRunning) {
  VerifyBench bench;
  const auto verification = bench.run({"setsid sleep 1000 </dev/null >/dev/null 2>&1 & true"});
  ASSERT_TRUE(verification);
  EXPECT_TRUE(verification->passed);
  EXPECT_TRUE(alive_with_mark(bench.mark).empty());
}

TEST(Verifier, AScriptIsTheOneOfTheStart) {
  VerifyBench bench;
  bench.folder.write("check.sh", "#!/bin/sh\ntest -e never\n", 0755);
  const auto verifier = bench.verifier({"./check.sh"});
  ASSERT_TRUE(verifier);
  EXPECT_EQ(verifier->files().script_paths(), (std::vector<std::string>{"check.sh"}));
  bench.folder.write("check.sh", "#!/bin/sh\n", 0755);
  const auto verification = bench.run(*verifier);
  ASSERT_TRUE(verification);
  EXPECT_FALSE(verification->passed);
  ASSERT_EQ(verification->findings.size(), 1U);
  EXPECT_EQ(test::text_of(bench.folder / "check.sh"), "#!/bin/sh\n") << "it was put back";
}

TEST(Verifier, AScriptThatIsWrittenToWhileItRunsIsTampering) {
  VerifyBench bench;
  bench.folder.write("check.sh", "cp check.sh x; echo >>check.sh; cat x >check.sh\n", 0755);
  const auto verification = bench.run({"sh check.sh"});
  ASSERT_FALSE(verification);
  EXPECT_EQ(verification.error().code, Code::permission);
}

TEST(Verifier, ACommandMayMakeItsScriptExecutable) {
  VerifyBench bench;
  bench.folder.write("check.sh", "#!/bin/sh\n", 0644);
  const auto verification = bench.run({"chmod +x check.sh && ./check.sh", "./check.sh"});
  ASSERT_TRUE(verification) << describe(verification.error());
  EXPECT_TRUE(verification->passed);
}

TEST(Verifier, WrapsEveryCommand) {
  VerifyBench bench;
  bench.check("#!/bin/sh\ntest \"$WRAPPED\" = yes\n");
  const auto verifier =
      Verifier::make({bench.folder.path(),
                      {},
                      Millis{0},
                      [](process::Command command) -> Result<process::Command> {
                        command.argv.insert(command.argv.begin(), {"/usr/bin/env", "WRAPPED=yes"});
                        return command;
                      }},
                     {"test \"$WRAPPED\" = yes"});
  ASSERT_TRUE(verifier);
  const auto verification = bench.run(*verifier);
  ASSERT_TRUE(verification);
  EXPECT_TRUE(verification->passed) << verification->command;
}

TEST(Verifier, OtherVersionsAreUsedAndTheAgentsComeBack) {
  VerifyBench bench;
  bench.folder.write("t", "weak");
  const auto verifier = bench.verifier({"grep -qx strong t"});
  ASSERT_TRUE(verifier);
  Verifier::Mode mode;
  mode.files = {{"t", {FileVersion::Kind::file, "strong\n", 0644}}};
  const auto verification = verifier->run({}, {}, mode);
  ASSERT_TRUE(verification) << describe(verification.error());
  EXPECT_TRUE(verification->passed);
  EXPECT_EQ(test::text_of(bench.folder / "t"), "weak");
}

/// Files of --protect as they are now.
StartFiles protect(const VerifyBench& bench, const std::string& pattern) {
  const auto globs = git::PathGlobs::make({pattern});
  return *StartFiles::read(bench.folder.path(), *globs);
}

TEST(Verifier, CachesThatCommandsWriteAreNotKept) {
  VerifyBench bench;
  bench.folder.write("tests/a.py", "x");
  const auto start = protect(bench, "tests/**");
  bench.folder.write("tests/__pycache__/a.pyc", "agent's");
  const std::string write =
      "test ! -e tests/__pycache__/a.pyc && mkdir -p tests/__pycache__ tests/.pytest_cache && "
      "echo new >tests/__pycache__/a.pyc && echo new >tests/.pytest_cache/last";
  const auto verifier = bench.verifier({write, write});
  ASSERT_TRUE(verifier);
  const test::TempFolder outside;
  store::UserState user{bench.folder.path(), outside / "ralph"};
  ASSERT_TRUE(user.prepare());
  Verifier::Mode mode;
  mode.start = &start;
  mode.user = &user;
  for (int run = 0; run < 2; ++run) {
    const auto verification = verifier->run({}, {}, mode);
    ASSERT_TRUE(verification) << describe(verification.error());
    EXPECT_TRUE(verification->passed);
    EXPECT_EQ(verification->findings, std::vector<store::Finding>{});
    EXPECT_EQ(test::text_of(bench.folder / "tests/__pycache__/a.pyc"), "agent's");
    EXPECT_EQ(test::text_of(bench.folder / "tests/.pytest_cache/last"), "new\n");
    EXPECT_TRUE(std::filesystem::is_empty(bench.folder / ".ralph/state"));
  }
}

}  // namespace
}  // namespace ralph::loop
