#include <filesystem>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "bench/grade/grader.h"
#include "core/json/document.h"
#include "support/temp_folder.h"

namespace ralph::grade {
namespace {

class Graders : public testing::Test {
 protected:
  GradeResult grade(std::string name, std::string config = "{}") {
    context_.folder = folder_ / "work";
    context_.artifacts = folder_ / "artifacts";
    std::filesystem::create_directories(context_.folder);
    std::filesystem::create_directories(context_.artifacts);
    return run_grader({std::move(name), std::move(config)}, context_);
  }
  static json::Document metrics(const GradeResult& result) { return *json::parse(result.metrics); }

  test::TempFolder folder_;
  GradeContext context_;
};

TEST_F(Graders, AnUnknownOneIsSkipped) {
  const auto result = grade("nobody");
  EXPECT_EQ(result.status, GradeStatus::skipped);
  EXPECT_EQ(result.message, "Unknown evaluator: nobody");
  EXPECT_EQ(result.error, "Evaluator 'nobody' not found");
}

TEST_F(Graders, TheWholeIsFailedPassedOrPartial) {
  using enum GradeStatus;
  const GradeResult good{.status = passed}, bad{.status = failed}, none{.status = skipped};
  EXPECT_EQ(overall_status(std::vector{good, good}), "passed");
  EXPECT_EQ(overall_status(std::vector{good, none, bad}), "failed");
  EXPECT_EQ(overall_status(std::vector{good, none}), "partial");
}

TEST_F(Graders, GitDiffNeedsARepository) {
  EXPECT_EQ(grade("git-diff").message, "Git repository not found or not accessible");
}

TEST_F(Graders, ExpectedDiffIsTheMeanLessTheShareOfOtherFiles) {
  folder_.write("work/same.txt", "a");
  folder_.write("work/changed.txt", "abcd");
  folder_.write("work/added.txt", "x");
  folder_.write("work/.git/config", "x");
  folder_.write("work/helper.md", "x");
  folder_.write("expected/same.txt", "a");
  folder_.write("expected/changed.txt", "abxd");
  folder_.write("expected/removed.txt", "x");
  context_.expected = folder_ / "expected";
  context_.helper_files = {"helper.md"};
  const auto result = grade("expected-diff", R"({"threshold":0.3})");
  EXPECT_EQ(result.status, GradeStatus::passed);
  EXPECT_EQ(
      result.message,
      "✓ Similarity: 37.5% (threshold: 30%) | Files: 1 matched, 1 changed | 1 added | 1 removed");
  EXPECT_EQ(metrics(result)["aggregate_similarity"], 0.375);
  EXPECT_EQ(grade("expected-diff").status, GradeStatus::failed);
}

// A wrong link is a file that is wrong as a whole, also if it leads to a file with the expected bytes.
TEST_F(Graders, ExpectedDiffComparesLinksByTheirTarget) {
  namespace fs = std::filesystem;
  folder_.write("work/a", "same");
  folder_.write("expected/a", "same");
  fs::create_symlink("b", folder_ / "expected/l");
  context_.expected = folder_ / "expected";
  const auto counts = [&] {
    const auto found = metrics(grade("expected-diff"));
    return fmt::format("{} {} {} {}", found["files_matched"].dump(), found["files_changed"].dump(),
                       found["files_added"].dump(), found["files_removed"].dump());
  };
  EXPECT_EQ(counts(), "1 0 0 1");
  fs::create_symlink("a", folder_ / "work/l");
  EXPECT_EQ(counts(), "1 1 0 0");
  EXPECT_EQ(metrics(grade("expected-diff"))["aggregate_similarity"], 0.5);
  fs::remove(folder_ / "work/l");
  fs::create_symlink("b", folder_ / "work/l");
  EXPECT_EQ(counts(), "2 0 0 0");
  fs::create_symlink(".", folder_ / "work/z");
  EXPECT_EQ(counts(), "2 0 1 0");
  fs::remove(folder_ / "work/l");
  folder_.write("work/l", "same");
  EXPECT_EQ(counts(), "1 1 1 0");
}

TEST_F(Graders, ExpectedDiffOfNothing) {
  context_.expected = folder_ / "expected";
  std::filesystem::create_directories(context_.expected);
  EXPECT_EQ(metrics(grade("expected-diff"))["aggregate_similarity"], 1);
  folder_.write("work/a", "x");
  EXPECT_EQ(metrics(grade("expected-diff"))["aggregate_similarity"], 0);
}

TEST_F(Graders, BudgetNamesEveryLimitThatIsExceeded) {
  trial::Execution run;
  run.usage.output = 50;
  run.turns = 3;
  EXPECT_EQ(grade("budget", R"({"max_turns":3})").status, GradeStatus::skipped);
  context_.execution = &run;
  EXPECT_EQ(grade("budget", R"({"max_turns":3})").status, GradeStatus::passed);
  EXPECT_EQ(grade("budget", R"({"max_turns":2,"max_output_tokens":49,"max_cost_usd":1})").message,
            "✗ 0 of 3 limits kept | Violations: cost_usd is unknown (max_cost_usd 1); "
            "output_tokens (50) exceeds "
            "max_output_tokens (49); turns (3) exceeds max_turns (2)");
}

TEST_F(Graders, LimitsOnWhatAnAgentDoesNotReportAreNotKept) {
  trial::Execution run;
  run.counted = false;
  run.duration = Millis{5};
  context_.execution = &run;
  EXPECT_EQ(grade("budget", R"({"max_duration_ms":10})").status, GradeStatus::passed);
  const auto budget = grade("budget", R"({"max_total_tokens":3,"max_tool_calls":0,"max_turns":3})");
  EXPECT_EQ(budget.message,
            "✗ 0 of 3 limits kept | Violations: total_tokens is unknown (max_total_tokens 3); "
            "turns is unknown (max_turns 3); tool_calls is unknown (max_tool_calls 0)");
  EXPECT_FALSE(metrics(budget).contains("tool_calls"));
  const auto trajectory = grade("trajectory", R"({"forbidden_tools":["Bash"],"max_denials":0})");
  EXPECT_EQ(trajectory.status, GradeStatus::failed);
  EXPECT_EQ(trajectory.message,
            "✗ tool calls are unknown | Violations: the agent printed no stream-json");
}

TEST_F(Graders, TrajectoryChecksTools) {
  trial::Execution run;
  run.messages.push_back(
      {trial::Message::Role::assistant, "", {}, {{"1", "Bash", "{}"}, {"2", "Bash", "{}"}}});
  context_.execution = &run;
  EXPECT_EQ(
      grade("trajectory", R"({"required_tools":["Bash"],"forbidden_tools":["Write"]})").status,
      GradeStatus::passed);
  EXPECT_EQ(
      grade("trajectory", R"({"required_tools":["Read"],"forbidden_tools":["Bash"]})").message,
      "✗ 0 tool calls | Violations: Read was not used; Bash was used 2 times");
}

TEST_F(Graders, CommandRunsInACopyWithACleanEnvironment) {
  folder_.write("work/a.txt", "x");
  const auto result =
      grade("command", R"({"command":"test -f a.txt && rm a.txt && test -z \"$(ls -A $HOME)\""})");
  EXPECT_EQ(result.status, GradeStatus::passed) << result.message << result.metrics;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "work/a.txt"));
  EXPECT_EQ(grade("command", R"({"command":["sh","-c","kill -9 $$"]})").message,
            "✗ command finished | Violations: ended by signal 9");
  EXPECT_EQ(grade("command", R"({"command":"sleep 60","timeout_ms":50})").message,
            "✗ command finished | Violations: timed out after 50ms");
  EXPECT_EQ(grade("command", R"({"command":"true","format":"junit","report":"none.xml"})").status,
            GradeStatus::failed);
}

TEST_F(Graders, FilesAreAbsentOnlyIfThatIsCertain) {
  folder_.write("outside/secret", "x");
  folder_.write("work/file", "x");
  std::filesystem::create_symlink("nowhere", folder_ / "work/dangling");
  std::filesystem::create_symlink(folder_ / "outside", folder_ / "work/out");
  std::filesystem::create_symlink("loop", folder_ / "work/loop");
  const auto message = [this](const std::string& path) {
    return grade("files", R"({"absent":[")" + path + R"("]})").message;
  };
  const std::string wrong = "✗ 0 of 1 paths as expected | Violations: ";
  EXPECT_EQ(message("dangling"), wrong + "dangling exists");
  EXPECT_EQ(message("out"), wrong + "out exists");
  EXPECT_EQ(message("out/secret"),
            wrong + "out/secret is reached by a link that leads out of the directory");
  EXPECT_EQ(message("../none"), wrong + "../none is outside of the directory");
  EXPECT_EQ(message("loop/x"), wrong + "loop/x cannot be read: Too many levels of symbolic links");
  EXPECT_EQ(message("none/x"), "✓ 1 of 1 paths as expected");
  EXPECT_EQ(message("file/x"), "✓ 1 of 1 paths as expected");
  EXPECT_EQ(grade("files", R"({"exist":["dangling"]})").message,
            wrong + "dangling is a link to a file that is missing or outside");
  EXPECT_EQ(grade("files", R"({"exist":["file", "./file", "."]})").status, GradeStatus::passed);
}

TEST_F(Graders, FilesOutsideOfTheDirectoryDoNotExist) {
  folder_.write("outside", "x");
  std::filesystem::create_directories(folder_ / "work");
  std::filesystem::create_symlink(folder_ / "outside", folder_ / "work/link");
  EXPECT_EQ(grade("files", R"({"exist":["../outside"]})").status, GradeStatus::failed);
  EXPECT_EQ(grade("files", R"({"exist":["link"]})").status, GradeStatus::failed);
  EXPECT_EQ(grade("files").status, GradeStatus::skipped);
}

TEST_F(Graders, PatternsFindLinesOnlyWhenTheyAskForThem) {
  folder_.write("work/calc.py", "def add(a, b):\n    return a+b\n");
  const auto status = [this](const std::string& pattern) {
    return grade("regex", R"({"patterns":[{"file":"calc.py","pattern":")" + pattern + R"("}]})")
        .status;
  };
  EXPECT_EQ(status("^    return"), GradeStatus::failed);
  EXPECT_EQ(status("a.b$"), GradeStatus::failed);
  EXPECT_EQ(status(R"((?<=^|\\n)    return)"), GradeStatus::passed);
  EXPECT_EQ(status(R"((?<=^|\\n)def)"), GradeStatus::passed);
  EXPECT_EQ(status(R"(a.b(?=\\n|$))"), GradeStatus::passed);
}

}  // namespace
}  // namespace ralph::grade
