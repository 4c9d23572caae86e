#include "cli/loop_view.h"

#include <cstdlib>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/unique_fd.h"
#include "cli/loop_report.h"
#include "stream/handler.h"
#include "support/temp_folder.h"

namespace ralph::cli {
namespace {

using loop::Record;
using Work = loop::Run;

/// A view that writes into two files.
class LoopViewTest : public testing::Test {
 protected:
  LoopViewTest() {
    ::setenv("TERM", "dumb", 1);  // whatever the tests are started from
    options_.console.agent_name = options_.agent_name = "Claude";
    options_.max_iterations = 50;
  }
  LoopView& view() {
    if (!view_) view_ = std::make_unique<LoopView>(options_, masker_, output_);
    return *view_;
  }
  std::string out() {
    output_.flush();
    return test::text_of(folder_ / "out");
  }
  std::string err() { return test::text_of(folder_ / "err"); }

  static UniqueFd open(const std::filesystem::path& file) {
    return UniqueFd(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  }
  test::TempFolder folder_;
  UniqueFd out_fd_ = open(folder_ / "out"), err_fd_ = open(folder_ / "err");
  StdOutput output_{out_fd_.get(), err_fd_.get()};
  Masker masker_{{"MY_TOKEN=correct-horse"}};
  LoopView::Options options_;
  stream::Summary summary_{model::Table::builtin()};
  std::unique_ptr<LoopView> view_;
};

Record iteration(std::int64_t n, std::string progress) {
  Record record;
  record.iteration = n;
  record.progress = std::move(progress);
  record.cost_usd = 0.0312;
  record.time.model = Millis{72'000};
  record.changed = true;
  return record;
}

loop::Verification refused() {
  return {false, "make test", "exit code 2", "a\nFAILED correct-horse\n", Millis{12'000}};
}

loop::Report some_report() {
  loop::Report report;
  report.end = loop::End::iterations;
  report.exit_code = 6;
  report.loop_id = "L";
  report.elapsed = Millis{3'700'000};
  report.totals.iterations = 12;
  report.totals.tool_calls = 1234;
  report.totals.cost_usd = 1.25;
  report.totals.tokens = {1'000, 2'000'000, 30, 4'000, 0};
  report.totals.time.model = Millis{2'400'000};
  report.totals.time.tools = Millis{1'200'000};
  report.days = {{"2026-11-15", 2.5}, {"2026-11-14", 9}};
  report.state_folder = "/w/.ralph/state";
  report.from = "0123456789abcdef0123";
  report.to = "fedcba9876543210fedc";
  report.files = {{'M', "src/a.cpp", 12, 3}, {'A', "b\x1b[2J.png", -1, -1}};
  return report;
}

TEST_F(LoopViewTest, EachStepIsALine) {
  view().started({.loop_id = "L"}, {});
  const Work run{Work::Kind::worker, 3, "r3"};
  for (auto* handler : view().begin(run, summary_)) {
    stream::dispatch({1, 0, "claude", "r3", 1, {}, stream::Text{"Hello", false, true, {}}},
                     *handler);
  }
  view().verifying({"make test"});
  view().output_of_verification("not shown\n");
  view().verified(refused());
  view().committed("abc1234def", 3);
  view().ended(run, iteration(3, "Did correct-horse\nand more"), {});
  view().note(stream::Level::info, "all is well");
  EXPECT_EQ(out(),
            "loop L\n"
            "— iteration 3/50 —\n"
            "Claude: Hello\n"
            "verifying: make test\n"
            "DONE refused by verification: `make test` failed: exit code 2\n"
            "  a\n"
            "  FAILED ***\n"
            "committed abc1234\n"
            "iteration 3: 1m12s, $0.0312, files changed: Did ***\n"
            "all is well\n");
  EXPECT_EQ(err(), "");
}

TEST_F(LoopViewTest, WarningsGoToStderr) {
  view().note(stream::Level::warning, "it was \x1b]0;cut");
  EXPECT_EQ(out(), "");
  EXPECT_EQ(err(), "ralph: warning: it was ␛]0;cut\n");
}

TEST_F(LoopViewTest, ACorrectionIsNoIterationOfItsOwn) {
  view().begin({Work::Kind::worker, 1, "r1"}, summary_);
  view().begin({Work::Kind::worker, 1, "r2"}, summary_);
  EXPECT_EQ(out(), "— iteration 1/50 —\n");
}

TEST_F(LoopViewTest, VerboseShowsWhatVerificationPrintsInWholeLines) {
  options_.console.verbosity = view::Verbosity::verbose;
  view().output_of_verification("one\ntw");
  view().output_of_verification("o\nhalf");
  EXPECT_EQ(out(), "  one\n  two\n");
}

TEST_F(LoopViewTest, AWaitIsToldOnceAndStdinThatIsNoTerminalIsLeftAlone) {
  EXPECT_FALSE(view().waiting("the rate limit", Millis{222'000}));
  EXPECT_FALSE(view().waiting("the rate limit", Millis{221'000}));
  EXPECT_TRUE(out().starts_with("waiting 3m42s for the rate limit")) << out();
  EXPECT_EQ(out().find('\n'), out().size() - 1);
}

TEST_F(LoopViewTest, QuietSaysTheReasonOnly) {
  options_.console.verbosity = view::Verbosity::quiet;
  view().started({.loop_id = "L"}, {});
  view().begin({Work::Kind::worker, 1, "r"}, summary_);
  view().note(stream::Level::warning, "x");
  view().verified(refused());
  view().ended({}, iteration(1, "Did it"), {});
  view().finish(some_report());
  EXPECT_EQ(out(), "");
  EXPECT_TRUE(err().starts_with("ralph: the limit of iterations was reached\n")) << err();
}

TEST_F(LoopViewTest, JsonIsALinePerStep) {
  options_.console.verbosity = view::Verbosity::quiet;
  options_.json = true;
  view().started({.loop_id = "L", .backend = "claude"}, {});
  const Work run{Work::Kind::worker, 1, "r1"};
  for (auto* handler : view().begin(run, summary_)) {
    stream::dispatch({1, 0, "claude", "r1", 1, {}, stream::TurnStarted{1}}, *handler);
  }
  view().verified(refused());
  view().waiting("the rate limit", Millis{222'000});
  view().waiting("the rate limit", Millis{221'000});
  view().committed("abc", 1);
  view().note(stream::Level::warning, "x");
  const auto text = out();
  std::vector<std::string> begins{
      R"({"type":"loop","step":"started","loop_id":"L","backend":"claude",)",
      R"({"type":"loop","step":"iteration_started","iteration":1,"kind":"worker","run_id":"r1"})",
      R"({"type":"turn_started",)",
      R"({"type":"loop","step":"verified","passed":false,"duration_ms":12000,"command":"make test","reason":"exit code 2","tail":"a\nFAILED ***\n"})",
      R"({"type":"loop","step":"waiting","for":"the rate limit","left_ms":222000})",
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
  options_.console.verbosity = view::Verbosity::quiet;
  options_.json = true;
  view().finish(some_report());
  EXPECT_TRUE(out().starts_with(
      R"({"type":"loop","step":"ended","loop_id":"L","end":"iterations","why":"the limit of iterations was reached")"))
      << out();
  EXPECT_NE(out().find(R"("exit_code":6)"), std::string::npos);
  EXPECT_NE(err(), "");
}

TEST(LoopReport, IsPlainAndAligned) {
  EXPECT_EQ(loop_report(some_report(), *parse_iso("2026-11-15T12:00:00Z"), "/w/l.ndjson"),
            "\n--- Loop Ended ---\n"
            "Ended        the limit of iterations was reached\n"
            "             'ralph loop --resume --max-iterations N' goes on with a higher one\n"
            "Iterations   12, 1,234 tool calls\n"
            "Time         1h01m (model 40m00s, tools 20m00s, other 1m40s)\n"
            "Tokens       input 1,000 | cache read 2,000,000 | cache write 30 | output 4,000\n"
            "Cost         $1.2500, today $2.5000 in this folder\n"
            "Files        2 files changed, +12 -3 lines\n"
            "             M +12 -3       src/a.cpp\n"
            "             A not text     b.png\n"
            "Resume       ralph loop --resume\n"
            "Records      /w/.ralph/state/progress.ndjson\n"
            "Last run     ralph replay /w/l.ndjson\n"
            "Changes      git diff 0123456789ab fedcba987654\n");
}

TEST(LoopReport, NamesTwentyFilesAtMost) {
  auto report = some_report();
  report.files.assign(23, {'M', "x", 1, 1});
  const auto text = loop_report(report, {}, {});
  EXPECT_NE(text.find("… and 3 more\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("Last run"), std::string::npos);
}

TEST(LoopReport, OfALoopThatIsDoneSaysNothingOfResuming) {
  auto report = some_report();
  report.end = loop::End::done;
  report.files.clear();
  const auto text = loop_report(report, {}, {});
  EXPECT_TRUE(text.starts_with("\n--- Loop Complete ---\nDone         the goal is reached\n"))
      << text;
  EXPECT_EQ(text.find("Resume"), std::string::npos);
  EXPECT_NE(text.find("Files        none changed\n"), std::string::npos);
}

}  // namespace
}  // namespace ralph::cli
