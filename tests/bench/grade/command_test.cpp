#include <stop_token>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/grade/graded_files.h"
#include "bench/grade/grader.h"
#include "bench/trial/snapshot.h"
#include "core/json/document.h"
#include "harness/run/clean_clone.h"
#include "support/eventually.h"
#include "support/temp_folder.h"

namespace ralph::grade {
namespace {

namespace fs = std::filesystem;

/// A directory before and after an agent.
class CommandGrades : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "artifacts");
    folder_.write("work/tests/check.sh", "grep -qx good src/code\n");
    folder_.write("work/src/code", "bad\n");
    store_.emplace(
        *trial::SnapshotStore::open(*git::Program::find(), folder_ / "work", folder_ / "git"));
    base_ = *store_->take();
  }
  void write(std::string_view path, std::string_view text) {
    folder_.write("work/" + std::string(path), text);
  }
  Comparison comparison() {
    const auto tree = *store_->take();
    return Comparison{store_->git(), base_, tree, {}, {}, ignored_};
  }
  GradeResult grade(std::string config) {
    GradeContext context;
    context.folder = folder_ / "work";
    context.artifacts = folder_ / "artifacts";
    context.comparison = comparison();
    context.confinement = confinement_;
    context.hidden = {folder_.path()};
    context.stop = stop_.get_token();
    return run_grader({"command", std::move(config)}, context);
  }
  static json::Document metrics(const GradeResult& result) { return *json::parse(result.metrics); }

  test::TempFolder folder_;
  std::optional<trial::SnapshotStore> store_;
  std::string base_, ignored_;
  Confinement confinement_;
  std::stop_source stop_;
};

constexpr auto* kCheck = R"({"command":"sh tests/check.sh","protect":["tests/**"]})";

TEST_F(CommandGrades, AnHonestSolutionPasses) {
  EXPECT_EQ(grade(kCheck).status, GradeStatus::failed);
  write("src/code", "good\n");
  const auto result = grade(kCheck);
  EXPECT_EQ(result.status, GradeStatus::passed) << result.message;
  EXPECT_EQ(metrics(result)["isolation"], "clean clone");
  EXPECT_EQ(metrics(result)["not_enforced"][0], "no network");
}

TEST_F(CommandGrades, ACommandThatAStopRequestEndedIsNotGraded) {
  const std::jthread later([this] {
    EXPECT_TRUE(test::eventually([this] { return fs::exists(folder_ / "started"); }));
    stop_.request_stop();
  });
  const auto started = (folder_ / "started").native();
  const auto result = grade(R"({"command":"touch ')" + started + R"('; sleep 60"})");
  EXPECT_EQ(result.status, GradeStatus::skipped);
  EXPECT_EQ(result.message, "not graded: stopped");
  EXPECT_EQ(result.error, "stopped");
}

TEST_F(CommandGrades, ChangedProtectedFilesAreNamedAndFailUnlessTheCaseAllowsThem) {
  write("src/code", "good\n");
  write("tests/check.sh", "false\n");
  write("tests/more.sh", "x\n");
  const auto result = grade(kCheck);
  EXPECT_EQ(result.message,
            "✗ command finished | Violations: protected file tests/check.sh was changed; "
            "protected file tests/more.sh was changed");
  EXPECT_EQ(metrics(result)["changed_protected_files"].size(), 2u);
  const auto allowed = grade(
      R"({"command":"sh tests/check.sh && ! test -e tests/more.sh","protect":["tests/**"],"allow_protected_changes":true})");
  EXPECT_EQ(allowed.status, GradeStatus::passed) << allowed.message;
  EXPECT_EQ(metrics(allowed)["changed_protected_files"].size(), 2u);
}

TEST_F(CommandGrades, ALinkInPlaceOfAProtectedFolderIsNotUsed) {
  fs::remove_all(folder_ / "work/tests");
  write("easy/check.sh", "true\n");
  fs::create_symlink("easy", folder_ / "work/tests");
  const auto files = *graded_files(comparison(), *git::PathGlobs::make({"tests/**"}), "");
  EXPECT_EQ(files.changed, (std::vector<std::string>{"tests", "tests/check.sh"}));
  EXPECT_FALSE(files.entries.contains("120000"));
  EXPECT_EQ(grade(kCheck).status, GradeStatus::failed);
}

TEST_F(CommandGrades, AWorkingDirThatLeadsOutOfTheCloneFailsTheGrade) {
  const auto* config = R"({"command":"true","working_dir":"sub"})";
  EXPECT_EQ(
      grade(config).message,
      "✗ command not run | Violations: working_dir 'sub' is not a directory of the repository");
  fs::create_directories(folder_ / "outside");
  fs::create_symlink(folder_ / "outside", folder_ / "work/sub");
  const auto result = grade(config);
  EXPECT_EQ(result.status, GradeStatus::failed);
  EXPECT_EQ(
      result.message,
      "✗ command not run | Violations: working_dir 'sub' leads out of the repository by a link");
  fs::remove(folder_ / "work/sub");
  fs::create_symlink("src", folder_ / "work/sub");
  EXPECT_EQ(grade(config).status, GradeStatus::passed);
}

TEST_F(CommandGrades, AFolderInPlaceOfAProtectedFileIsNotUsed) {
  fs::remove(folder_ / "work/tests/check.sh");
  write("tests/check.sh/x", "true\n");
  const auto files = *graded_files(comparison(), *git::PathGlobs::make({"tests/check.sh"}), "");
  EXPECT_EQ(files.changed, (std::vector<std::string>{"tests/check.sh", "tests/check.sh/x"}));
  EXPECT_FALSE(files.entries.contains("check.sh/x"));
}

TEST_F(CommandGrades, WhatAProtectedLinkLeadsToIsProtected) {
  write("lib/common", "good\n");
  fs::create_symlink("../lib", folder_ / "work/tests/lib");
  base_ = *store_->take();
  write("lib/common", "bad\n");
  const auto files = *graded_files(comparison(), *git::PathGlobs::make({"tests/**"}), "");
  EXPECT_EQ(files.changed, std::vector<std::string>{"lib/common"});
}

TEST_F(CommandGrades, EveryLinkOnTheWayOfAProtectedLinkIsProtected) {
  write("real/deep/common", "good\n");
  write("real-other", "x\n");  // sorts before what is in real/
  write("elsewhere/common", "good\n");
  write("last", "good\n");
  fs::create_symlink("../last", folder_ / "work/real/more");
  fs::create_symlink("real/deep", folder_ / "work/alias");
  fs::create_symlink("../alias/../deep/common", folder_ / "work/tests/file");
  fs::create_symlink("../alias/..", folder_ / "work/tests/folder");
  fs::create_symlink("/alias", folder_ / "work/tests/out");
  fs::create_symlink("circle/x", folder_ / "work/tests/circle");
  base_ = *store_->take();
  const auto changed = [&] {
    return graded_files(comparison(), *git::PathGlobs::make({"tests/**"}), "")->changed;
  };
  EXPECT_EQ(changed(), std::vector<std::string>{});
  fs::remove(folder_ / "work/alias");
  fs::create_symlink("elsewhere", folder_ / "work/alias");
  write("real/deep/common", "bad\n");
  write("real-other", "bad\n");
  write("last", "bad\n");
  EXPECT_EQ(changed(), (std::vector<std::string>{"alias", "last", "real/deep/common"}));
}

TEST_F(CommandGrades, OnlyNamedPathsMayComeFromTheAgent) {
  write("src/code", "good\n");
  write("GNUmakefile", "test:\n");
  const auto files = *graded_files(comparison(), *git::PathGlobs::make({"*", "!src/**"}), "");
  EXPECT_EQ(files.changed, std::vector<std::string>{"GNUmakefile"});
}

/// What a package manager installed before the agent is there, whatever the agent did to it.
TEST_F(CommandGrades, ProtectedIgnoredFilesAreThoseOfTheBase) {
  write(".gitignore", "modules/\n");
  write("modules/a", "1\n");
  ASSERT_TRUE(store_->fix_ignored());
  base_ = *store_->take();
  ignored_ = *store_->take_ignored(*git::PathGlobs::make({"modules"}));
  write("modules/a", "2\n");
  write("modules/made", "2\n");
  const auto result = grade(
      R"({"command":"grep -qx 1 modules/a && ! test -e modules/made","protect":["modules"]})");
  EXPECT_EQ(result.status, GradeStatus::passed) << result.message;
}

TEST_F(CommandGrades, AProtectedFileThatTheCommandRewritesFailsAlsoIfItIsRestored) {
  write("tests/other.sh", "x\n");
  fs::create_symlink("other.sh", folder_ / "work/tests/link");
  base_ = *store_->take();
  write("src/code", "good\n");
  for (const auto* rewrite :
       {"cp tests/check.sh x; echo y >tests/check.sh; cat x >tests/check.sh",
        "mv tests/check.sh x; mv x tests/check.sh", "ln tests/check.sh x; : >>x"}) {
    const auto config = json::write({{"command", rewrite}, {"protect", {"tests/**"}}});
    const auto result = grade(config);
    EXPECT_EQ(result.status, GradeStatus::failed) << rewrite;
    EXPECT_TRUE(result.message.contains("protected file tests/check.sh was rewritten")) << rewrite;
    EXPECT_EQ(metrics(result)["rewritten_protected_files"], json::Document{"tests/check.sh"});
  }
  const auto replaced = grade(
      R"({"command":"ln -sf check.sh tests/link; mv tests x; cp -r x tests; true","protect":["tests/**"]})");
  EXPECT_EQ(metrics(replaced)["rewritten_protected_files"].size(), 2U) << replaced.message;
}

TEST_F(CommandGrades, NewFilesBesideProtectedOnesAreNoRewrite) {
  write("src/code", "good\n");
  const auto result = grade(
      R"({"command":"mkdir tests/cache && touch tests/new tests/cache/x && chmod +x tests/check.sh && sh tests/check.sh && rm tests/new","protect":["tests/**"]})");
  EXPECT_EQ(result.status, GradeStatus::passed) << result.message;
}

TEST_F(CommandGrades, HeadIsTheBaseAndTheWorkIsAChange) {
  write("src/code", "good\n");
  const auto result = grade(
      R"({"command":"test \"$(git diff --name-only HEAD)\" = src/code && test \"$(git rev-list --count HEAD)\" = 1"})");
  EXPECT_EQ(result.status, GradeStatus::passed) << result.message << result.metrics;
}

TEST_F(CommandGrades, TheEnvironmentIsClean) {
  ::setenv("RALPH_TEST_SECRET", "x", 1);
  const auto result = grade(
      R"({"command":"test -z \"$RALPH_TEST_SECRET\" && test \"$OWN\" = 1 && test -z \"$(ls -A \"$HOME\")\" && test \"$PATH\" = /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin","env":{"OWN":"1"}})");
  ::unsetenv("RALPH_TEST_SECRET");
  EXPECT_EQ(result.status, GradeStatus::passed) << result.message << result.metrics;
}

constexpr auto* kReport =
    R"({"command":"sh run.sh","format":"junit","report":"out/r.xml","min_tests":1})";

TEST_F(CommandGrades, AReportIsNeverTheAgents) {
  write("out/r.xml", "<testsuite><testcase/></testsuite>");
  write("run.sh", "exit 0\n");
  EXPECT_TRUE(grade(kReport).message.contains("no report 'out/r.xml'")) << grade(kReport).message;
  write("run.sh", "echo '<testsuite><testcase/></testsuite>' >out/r.xml\n");
  write("out/other", "x");
  EXPECT_EQ(grade(kReport).status, GradeStatus::passed) << grade(kReport).message;
}

TEST_F(CommandGrades, AReportThatIsALinkDoesNotCount) {
  const auto forged = folder_.write("forged.xml", "<testsuite><testcase/></testsuite>");
  write("out/other", "x");
  write("run.sh", "ln -s '" + forged.native() + "' out/r.xml\n");
  EXPECT_EQ(grade(kReport).status, GradeStatus::failed);
  write("run.sh", "rmdir out; rm -r out; ln -s '" + forged.parent_path().native() + "' out\n");
  EXPECT_EQ(grade(kReport).status, GradeStatus::failed);
}

TEST_F(CommandGrades, AGoodReportDoesNotHelpABadExitCode) {
  EXPECT_EQ(grade(R"({"command":"echo 1..1; echo ok 1; exit 3","format":"tap"})").message,
            "✗ 1 of 1 tests passed | Violations: exit code 3");
  EXPECT_EQ(grade(R"({"command":"echo 1..1; echo not ok 1","format":"tap"})").status,
            GradeStatus::failed);
}

TEST_F(CommandGrades, TestsThatDidNotRunDoNotPass) {
  EXPECT_EQ(grade(R"({"command":"echo 1..1; echo ok 1 '# SKIP'","format":"tap"})").message,
            "✗ 0 of 1 tests passed | Violations: 0 tests passed, not 1");
  EXPECT_EQ(grade(R"({"command":"echo 1..1; echo ok 1","format":"tap","min_tests":2})").message,
            "✗ 1 of 1 tests passed | Violations: 1 tests passed, not 2");
}

/// What is behind the limit could be the failed tests.
TEST_F(CommandGrades, AnOutputThatIsTooLongIsNoReport) {
  const auto result = grade(
      R"({"command":"echo 1..1; echo ok 1; head -c 17000000 /dev/zero | tr '\\0' x","format":"tap"})");
  EXPECT_EQ(result.status, GradeStatus::failed);
  EXPECT_TRUE(result.message.contains("the output has more than")) << result.message;
}

TEST_F(CommandGrades, NothingPassesIfTheRecordWasChanged) {
  GradeContext context;
  context.folder = folder_ / "work";
  context.artifacts = folder_ / "artifacts";
  context.check_trusted = []() -> Result<> { return fail(Code::permission, "it was changed"); };
  const auto result = run_grader({"files", R"({"exist":["src/code"]})"}, context);
  EXPECT_EQ(result.message, "✗ not graded | Violations: it was changed");
}

TEST_F(CommandGrades, ProtectNeedsARepository) {
  GradeContext context;
  context.folder = folder_ / "work";
  context.artifacts = folder_ / "artifacts";
  EXPECT_EQ(run_grader({"command", kCheck}, context).status, GradeStatus::skipped);
}

/// With bubblewrap, if this machine has one.
class ConfinedGrades : public CommandGrades {
 protected:
  void SetUp() override {
    CommandGrades::SetUp();
    const auto found = run::find_bubblewrap();
    if (!found) GTEST_SKIP() << describe(found.error());
    confinement_.bwrap = *found;
  }
};

TEST_F(ConfinedGrades, OtherFilesAreHiddenOrReadOnly) {
  folder_.write("secret", "x");
  write("src/code", "good\n");
  const auto command = "sh tests/check.sh && ! test -e '" + (folder_ / "secret").native() +
                       "' && ! touch /etc/ralph-was-here && ! touch /usr/ralph-was-here && touch "
                       "here $HOME/here $TMPDIR/here";
  json::Document config{{"command", command}, {"protect", {"tests/**"}}};
  const auto result = grade(json::write(config));
  EXPECT_EQ(result.status, GradeStatus::passed) << result.message << result.metrics;
  EXPECT_EQ(metrics(result)["isolation"], "clean clone, bubblewrap");
  EXPECT_FALSE(metrics(result).contains("not_enforced"));
}

TEST_F(ConfinedGrades, ThereIsNoNetworkAndNoOtherProcess) {
  const auto result = grade(
      R"({"command":"test \"$(tail -n +3 /proc/net/dev | grep -cv ' lo:')\" = 0 && ! kill -0 $P","env":{"P":")" +
      std::to_string(::getpid()) + R"("}})");
  EXPECT_EQ(result.status, GradeStatus::passed) << result.message << result.metrics;
}

TEST_F(ConfinedGrades, ProtectedFilesAreReadOnly) {
  write("src/code", "good\n");
  const auto result = grade(
      R"({"command":"! sh -c ': >>tests/check.sh' && ! rm -f tests/check.sh && ! ln tests/check.sh x && touch tests/new && sh tests/check.sh","protect":["tests/**"]})");
  EXPECT_EQ(result.status, GradeStatus::passed) << result.message << result.metrics;
}

TEST_F(ConfinedGrades, MemoryOfOtherProcessesCannotBeWritten) {
  const auto result = grade(R"({"command":"! sh -c ': >>/proc/$$/mem' && test -r /proc/$$/mem"})");
  EXPECT_EQ(result.status, GradeStatus::passed) << result.message << result.metrics;
  EXPECT_EQ(
      grade(
          R"({"command":"test \"$LSAN_OPTIONS\" = x=1:detect_leaks=0","env":{"LSAN_OPTIONS":"x=1"}})")
          .status,
      GradeStatus::passed);
}

TEST_F(ConfinedGrades, TheExitCodeIsThatOfTheCommand) {
  EXPECT_EQ(grade(R"({"command":"exit 7"})").message,
            "✗ command finished | Violations: exit code 7");
  EXPECT_EQ(grade(R"({"command":"kill -9 $$"})").message,
            "✗ command finished | Violations: exit code 137");
}

TEST(Preparation, SettingsOfGradersBeforeTheAgent) {
  const std::vector<trial::GraderSpec> specs{
      {"command", R"({"protect":["a","!b"]})"},
      {"git-diff", R"({"base_commit":"main"})"},
      {"git-diff", R"({"base_commit":"HEAD"})"},
      {"files", "{}"},
  };
  const auto globs = protected_paths(specs);
  ASSERT_TRUE(globs);
  EXPECT_TRUE(globs->matches("a"));
  EXPECT_FALSE(globs->excludes("b"));
  const std::vector<std::string> paths{"dir/a"};
  EXPECT_EQ(unmatched_patterns(specs, paths), std::vector<std::string>{"!b"});
  EXPECT_EQ(named_commits(specs), std::vector<std::string>{"main"});
  EXPECT_FALSE(
      protected_paths(std::vector<trial::GraderSpec>{{"command", R"({"protect":["/a"]})"}}));
  const auto none = find_confinement(std::vector<trial::GraderSpec>{{"files", "{}"}});
  EXPECT_TRUE(none.bwrap.empty() && none.problem.empty());
}

}  // namespace
}  // namespace ralph::grade
