#include "ui/console/loop_view.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "harness/stream/handler.h"
#include "ui/console/fake_output.h"
#include "ui/console/figures.h"
#include "ui/console/loop_json.h"
#include "ui/console/some_report.h"

namespace ralph::console {
namespace {

using store::LoopRecord;
using Work = store::RunInfo;

/// A view that writes into two strings.
class LoopViewTest : public testing::Test {
 protected:
  LoopViewTest() {
    ::setenv("TERM", "dumb", 1);  // whatever the tests are started from
    options_.console.agent_name = "Claude";
    options_.facts = {"Claude 2.1.325", "sonnet",     "no sandbox",
                      "50 iterations",  "no commits", true};
    options_.max_iterations = 50;
  }
  LoopView& view() {
    if (!view_) view_ = std::make_unique<LoopView>(options_, masker_, output_);
    return *view_;
  }
  void show(store::LoopStep step) { view().on({UtcTime(), std::move(step)}); }
  const std::string& out() const { return output_.stdout_text; }
  const std::string& err() const { return output_.stderr_text; }

  FakeOutput output_;
  Masker masker_{{"MY_TOKEN=correct-horse"}};
  LoopView::Options options_;
  stream::Summary summary_{model::Table::builtin()};
  std::unique_ptr<LoopView> view_;
};

LoopRecord iteration(std::int64_t n, std::string progress) {
  LoopRecord record;
  record.iteration = n;
  record.progress = std::move(progress);
  record.cost_usd = 0.0312;
  record.time.model = Millis{72'000};
  record.changed = true;
  record.tree = "0123456789abcdef0123456789abcdef01234567";
  return record;
}

store::VerificationEnded refused() {
  return {false, Millis{12'000}, "", "make test", "exit code 2", "a\nFAILED correct-horse\n"};
}

TEST_F(LoopViewTest, EachStepIsALine) {
  view().started({.loop_id = "L",
                  .goal_file = "GOAL.md",
                  .goal = "\n## correct-horse\nand more\n",
                  .branch_at_start = "refs/heads/main",
                  .verify = {"make test"}},
                 {});
  const Work run{store::AgentRole::worker, 3, "r3"};
  for (auto* handler : view().run_started(run, summary_)) {
    stream::dispatch({1, 0, "claude", "r3", 1, {}, stream::Text{"Hello", false, true, {}}},
                     *handler);
  }
  show(store::VerificationStarted{{"make test"}});
  view().output_of_verification("not shown\n");
  show(refused());
  show(store::IterationCommitted{"abc1234def", 3});
  view().run_ended(run, iteration(3, "Did correct-horse\nand more"), {});
  show(store::LoopNote{stream::Level::info, "all is well"});
  EXPECT_EQ(out(), "Loop         L, " + date_time(options_.now()) +
                       "\n"
                       "Goal         GOAL.md: ***\n"
                       "Agent        Claude 2.1.325, model sonnet, no sandbox\n"
                       "Limits       50 iterations\n"
                       "Branch       main, no commits\n"
                       "Verify       `make test`\n"
                       "— iteration 3/50 —\n"
                       "Claude: Hello\n"
                       "verifying: make test\n"
                       "DONE refused by verification: `make test` failed: exit code 2\n"
                       "  a\n"
                       "  FAILED ***\n"
                       "committed abc1234def\n"
                       "iteration 3: 1m12s, $0.0312, files changed: Did ***\n"
                       "all is well\n");
  EXPECT_EQ(err(), "");
}

TEST_F(LoopViewTest, OutputOfVerificationIsShownOnceAndIndented) {
  options_.console.verbosity = Verbosity::verbose;
  view().output_of_verification("def f():\n    fails\n");
  auto verification = refused();
  verification.tail = "def f():\n    fails\n";
  show(verification);
  EXPECT_EQ(out(),
            "  def f():\n"
            "      fails\n"
            "DONE refused by verification: `make test` failed: exit code 2\n");
}

TEST(LoopHeader, SaysThatALoopWithoutAFinishedIterationIsResumed) {
  LoopFacts facts;
  facts.resumed = true;
  facts.agent = "ralph 0.1.0";
  facts.model = "";
  facts.sandbox = "no sandbox";
  store::LoopRecord attempt;
  attempt.step = store::LoopRecord::Step::attempt;
  attempt.cost_usd = 0.5;
  attempt.model = "sonnet";
  const auto lines = loop_header(facts, {.loop_id = "L"}, {attempt}, {});
  EXPECT_TRUE(lines.front().value.ends_with(", resumed after 0 iterations, cost $0.5000"))
      << lines.front().value;
  EXPECT_EQ(lines[2].value, "ralph 0.1.0, its default model (sonnet), no sandbox");
}

TEST_F(LoopViewTest, WarningsGoToStderr) {
  show(store::LoopNote{stream::Level::warning, "it was \x1b]0;cut"});
  EXPECT_EQ(out(), "");
  EXPECT_EQ(err(), "ralph: warning: it was ␛]0;cut\n");
}

TEST_F(LoopViewTest, ACorrectionIsNoIterationOfItsOwn) {
  view().run_started({store::AgentRole::worker, 1, "r1"}, summary_);
  view().run_started({store::AgentRole::worker, 1, "r2"}, summary_);
  EXPECT_EQ(out(), "— iteration 1/50 —\n");
}

TEST_F(LoopViewTest, VerboseShowsWhatVerificationPrintsInWholeLines) {
  options_.console.verbosity = Verbosity::verbose;
  view().output_of_verification("one\ntw");
  view().output_of_verification("o\nhalf");
  EXPECT_EQ(out(), "  one\n  two\n");
}

TEST_F(LoopViewTest, AWaitIsToldOnceAndStdinThatIsNoTerminalIsLeftAlone) {
  ::setenv("TZ", "UTC", 1);
  options_.now = [] { return *parse_iso("2026-11-16T14:00:00Z"); };
  EXPECT_FALSE(view().waiting("rate limit reached", Millis{222'000}));
  EXPECT_FALSE(view().waiting("rate limit reached", Millis{221'000}));
  EXPECT_EQ(out(), "rate limit reached; retrying in 3m42s, at 14:03:42\n");
}

TEST(WaitText, BeginsWithTheTimeThatIsLeft) {
  EXPECT_EQ(wait_text("rate limit reached", Millis{17'500}, " (any key: now)"),
            "retrying in 18s (any key: now): rate limit reached");
}

TEST_F(LoopViewTest, InALogEachStepHasItsTimeAndAnErrorIsToldOnce) {
  ::setenv("TZ", "UTC", 1);
  options_.now = [] { return *parse_iso("2026-11-16T14:00:00Z"); };
  options_.stamp_out = true;
  const Work run{store::AgentRole::worker, 1, "r1"};
  stream::RunResult result;
  result.status = stream::Status::failed;
  result.headline = "the agent crashed";
  result.detail = "exit code 1";
  for (auto* handler : view().run_started(run, summary_)) {
    stream::dispatch({1, 0, "claude", "r1", 1, {}, stream::Text{"Hello", false, true, {}}},
                     *handler);
    stream::dispatch({2, 0, "claude", "r1", -1, {}, result}, *handler);
  }
  auto failed = iteration(1, "");
  failed.failure = "the agent crashed: exit code 1";
  failed.failed = true;
  view().run_ended(run, failed, {});
  EXPECT_EQ(out(),
            "14:00:00 — iteration 1/50 —\n"
            "Claude: Hello\n"
            "14:00:00 [Error] the agent crashed: exit code 1\n"
            "14:00:00 iteration 1 failed: 1m12s, $0.0312, files changed\n");
  EXPECT_EQ(err(), "[Error] the agent crashed: exit code 1\n");
}

TEST_F(LoopViewTest, QuietSaysTheReasonOnly) {
  options_.console.verbosity = Verbosity::quiet;
  view().started({.loop_id = "L"}, {});
  view().run_started({store::AgentRole::worker, 1, "r"}, summary_);
  show(store::LoopNote{stream::Level::warning, "x"});
  show(refused());
  view().run_ended({}, iteration(1, "Did it"), {});
  view().finish(some_report());
  EXPECT_EQ(out(), "");
  EXPECT_TRUE(
      err().starts_with("ralph: iteration limit reached (12)\nto resume: ralph loop --resume "))
      << err();
}

TEST_F(LoopViewTest, JsonIsALinePerStep) {
  options_.console.verbosity = Verbosity::quiet;
  options_.json = true;
  view().started({.loop_id = "L", .backend = "claude"}, {});
  const Work run{store::AgentRole::worker, 1, "r1"};
  for (auto* handler : view().run_started(run, summary_)) {
    stream::dispatch({1, 0, "claude", "r1", 1, {}, stream::TurnStarted{1}}, *handler);
  }
  show(refused());
  view().waiting("rate limit reached", Millis{222'000});
  view().waiting("rate limit reached", Millis{221'000});
  show(store::IterationCommitted{"abc", 1});
  show(store::LoopNote{stream::Level::warning, "x"});
  const auto text = out();
  std::vector<std::string> begins{
      R"({"type":"loop","step":"started","loop_id":"L","backend":"claude",)",
      R"({"type":"loop","step":"iteration_started","iteration":1,"kind":"worker","run_id":"r1"})",
      R"({"type":"turn_started",)",
      R"({"type":"loop","step":"verified","passed":false,"duration_ms":12000,"command":"make test","reason":"exit code 2","tail":"a\nFAILED ***\n"})",
      R"({"type":"loop","step":"waiting","for":"rate limit reached","left_ms":222000})",
      R"({"type":"loop","step":"committed","commit":"abc","iteration":1})",
      R"({"type":"loop","step":"note","level":"warning","text":"x"})"};
  std::size_t at = 0;
  for (const auto& begin : begins) {
    const auto line = text.substr(at, text.find('\n', at) - at);
    EXPECT_TRUE(line.starts_with(begin) || line.find(begin.substr(1)) != line.npos) << line;
    at += line.size() + 1;
  }
  EXPECT_EQ(at, text.size());
  EXPECT_EQ(err(), "");
}

TEST_F(LoopViewTest, JsonEndsWithTheReportAndTheReasonOfAFailure) {
  options_.console.verbosity = Verbosity::quiet;
  options_.json = true;
  view().finish(some_report());
  EXPECT_TRUE(out().starts_with(
      R"x({"type":"loop","step":"ended","loop_id":"L","end":"iterations","why":"iteration limit reached (12)")x"))
      << out();
  EXPECT_NE(out().find(R"("exit_code":6)"), std::string::npos);
  EXPECT_NE(err(), "");
}

TEST(GoalLine, IsTheFirstThatHasTextWithoutTheMarksOfAHeading) {
  EXPECT_EQ(goal_line("\n  \n# Make it work\r\nnow"), "Make it work");
  EXPECT_EQ(goal_line("##\n\nMake it work"), "Make it work");
  EXPECT_EQ(goal_line("#12 is fixed"), "#12 is fixed");
  EXPECT_EQ(goal_line("Make it work"), "Make it work");
  EXPECT_EQ(goal_line("\xef\xbb\xbf# Make it work"), "Make it work");
  EXPECT_EQ(goal_line("\n#\n"), "");
  EXPECT_EQ(goal_line("# Goal\n\nMake it work"), "Make it work");
  EXPECT_EQ(goal_line("# Goal: speed\nMake it work"), "Goal: speed");
  EXPECT_EQ(goal_line("# Goal\n"), "Goal");
}

}  // namespace
}  // namespace ralph::console
