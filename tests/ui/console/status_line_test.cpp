#include "ui/console/status_line.h"

#include <gtest/gtest.h>

#include "core/base/utf8.h"
#include "core/model/model.h"
#include "ui/console/columns.h"
#include "ui/console/fake_output.h"
#include "ui/console/figures.h"

namespace ralph::console {
namespace {

using namespace stream;

constexpr std::string_view kErase = "\r\x1b[K";

/// A status line on a terminal whose clock and width the test sets.
class StatusLineTest : public testing::Test {
 protected:
  StatusLine& line() {
    if (!line_) {
      line_ = std::make_unique<StatusLine>(
          StatusLine::Options{terminal_, false, [this] { return width_; }, [this] { return now_; },
                              [this] { ++flushed_; }},
          masker_, output_);
    }
    return *line_;
  }
  void show(const Payload& payload) {
    const Event event{1, 0, "claude", "run", 1, {}, payload};
    dispatch(event, summary_);
    dispatch(event, line());
  }
  void call(std::string_view id, std::string_view name, std::string_view detail) {
    show(ToolCall{id, name, ToolKind::other, detail, {}});
  }
  void pass(Millis time) { now_ += time; }
  /// What is drawn after a second, without the codes before it.
  std::string drawn() {
    output_.stdout_text.clear();
    pass(Millis{1000});
    line().tick();
    auto text = take_out();
    return text.starts_with(kErase) ? text.substr(kErase.size()) : text;
  }
  std::string take_out() { return std::exchange(output_.stdout_text, {}); }

  Masker masker_{{"MY_TOKEN=correct-horse"}};
  Summary summary_{model::Table::builtin()};
  FakeOutput output_;
  bool terminal_ = true;
  std::size_t width_ = 200;
  SteadyTime now_{std::chrono::hours(1)};
  int flushed_ = 0;
  std::unique_ptr<StatusLine> line_;
};

TEST_F(StatusLineTest, TellsWhatTheLoopIsAt) {
  line().show(Millis{60'000});
  EXPECT_EQ(drawn(), "loop | 1m01s | $0.0000 | thinking");
  line().iteration(3, 50);
  line().cost(0.5, 5.0);
  line().watch(summary_);
  call("1", "Bash", "make\ntest");
  EXPECT_EQ(drawn(), "iteration 3/50 | 1m02s | $0.5000 of $5.0000 | Bash: make test");
  line().doing("verifying");
  EXPECT_EQ(drawn(), "iteration 3/50 | 1m03s | $0.5000 of $5.0000 | verifying");
}

TEST_F(StatusLineTest, TheNewestToolThatStillRunsIsNamed) {
  line().show({});
  call("1", "Task", "look");
  call("2", "Grep", "x");
  EXPECT_TRUE(drawn().ends_with("| Grep: x"));
  show(ToolResult{"2", "Grep", true, {}, "", false});
  EXPECT_TRUE(drawn().ends_with("| Task: look"));
  show(ToolResult{"1", "Task", true, {}, "", false});
  EXPECT_TRUE(drawn().ends_with("| thinking"));
}

TEST_F(StatusLineTest, ToolsThatNeverEndAreForgotten) {
  line().show({});
  for (int i = 0; i < 1000; ++i) call(std::to_string(i), "T", std::to_string(i));
  for (int i = 999; i > 983; --i) show(ToolResult{std::to_string(i), "T", true, {}, "", false});
  EXPECT_TRUE(drawn().ends_with("| thinking"));
}

TEST_F(StatusLineTest, CostAndContextComeWithTheEvents) {
  line().show({});
  line().cost(1.0, {});
  line().watch(summary_);
  Usage usage;
  usage.model = "m";
  usage.message_id = "1";
  usage.tokens = {20'000, 0, 4'000, 1, 0};
  show(usage);
  Usage window;
  window.scope = UsageScope::turn;
  window.model = "m";
  window.context_window = 200'000;
  window.cost_usd = 0.25;
  show(window);
  show(TurnEnded{});
  EXPECT_EQ(drawn(), "loop | 1s | $1.2500 | context 12% | thinking");
  EXPECT_EQ(line().context_percent(), 12);
  const Summary next(model::Table::builtin());
  line().watch(next);
  EXPECT_EQ(drawn(), "loop | 2s | $1.2500 | thinking") << "what was spent stays spent";
  line().cost(1.3, {});
  EXPECT_EQ(drawn(), "loop | 3s | $1.3000 | thinking");
}

TEST_F(StatusLineTest, IsErasedBeforeOtherOutputAndDrawnAfter) {
  line().show({});
  line().tick();
  const auto first = take_out();
  EXPECT_EQ(first, "loop | 0s | $0.0000 | thinking");
  line().out("Claude: hi\n");
  EXPECT_EQ(take_out(), std::string(kErase) + "Claude: hi\n");
  line().out("again\n");
  EXPECT_EQ(take_out(), "again\n") << "nothing is left to erase";
  pass(Millis{100});
  line().flush();
  EXPECT_EQ(take_out(), first);
  line().err("ralph: bad\n");
  EXPECT_EQ(take_out(), kErase);
  EXPECT_EQ(output_.stderr_text, "ralph: bad\n");
}

TEST_F(StatusLineTest, IsNotDrawnBehindHalfALine) {
  line().show({});
  line().out("half");
  EXPECT_EQ(take_out(), "half");
  EXPECT_EQ(drawn(), "");
  line().out(" a line\n");
  EXPECT_NE(drawn(), "");
}

TEST_F(StatusLineTest, IsDrawnTenTimesASecondAtMost) {
  line().show({});
  line().tick();
  take_out();
  int drawn = 0;
  for (int ms = 0; ms < 1000; ++ms) {
    pass(Millis{1});
    line().doing("step " + std::to_string(ms));
    line().flush();
    if (!take_out().empty()) ++drawn;
  }
  EXPECT_EQ(drawn, 10);
}

TEST_F(StatusLineTest, WithoutNewsItIsDrawnOnceASecond) {
  line().show({});
  line().tick();
  take_out();
  int drawn = 0;
  for (int tenth = 0; tenth < 50; ++tenth) {
    pass(Millis{100});
    line().tick();
    if (!take_out().empty()) ++drawn;
  }
  EXPECT_EQ(drawn, 5);
}

TEST_F(StatusLineTest, NeverWraps) {
  line().show({});
  call("1", "Bash", "echo 漢字漢字漢字漢字 😀😀😀 e\xCC\x81\xCC\x81 plain text behind it");
  for (width_ = 1; width_ < 120; ++width_) {
    const auto text = drawn();
    EXPECT_LT(columns(text), width_) << text;
    EXPECT_TRUE(utf8::valid(text)) << text;
  }
  width_ = 0;
  EXPECT_LT(columns(drawn()), 80U) << "an unknown width is the usual one";
}

TEST_F(StatusLineTest, LeavesColumnsForTwoEchoedControlC) {
  line().show({});
  call("1", "Bash", std::string(200, 'x'));
  width_ = 80;
  EXPECT_LT(columns(drawn()) + std::string_view("^C^C").size(), width_);
}

TEST_F(StatusLineTest, NothingOfAnAgentDrivesTheTerminal) {
  line().show({});
  call("1", "Ba\x1b]0;x\x07sh", "a\x1b[2J\rb\x9b correct-horse");
  const auto text = drawn();
  EXPECT_EQ(text.find_first_of("\x1b\r\x07"), text.npos) << text;
  EXPECT_EQ(text.find("correct-horse"), text.npos) << text;
  EXPECT_TRUE(utf8::valid(text));
}

TEST_F(StatusLineTest, WithoutATerminalItOnlyPassesOn) {
  terminal_ = false;
  line().show({});
  line().doing("verifying");
  EXPECT_EQ(drawn(), "");
  line().out("a");
  line().err("b");
  line().flush();
  line().end();
  EXPECT_EQ(take_out(), "a");
  EXPECT_EQ(output_.stderr_text, "b");
  EXPECT_GE(flushed_, 1);
}

TEST_F(StatusLineTest, WhenItEndsItIsGone) {
  line().show({});
  line().tick();
  take_out();
  line().end();
  EXPECT_EQ(take_out(), kErase);
  EXPECT_EQ(drawn(), "");
}

TEST(Columns, WideCharactersCountTwo) {
  EXPECT_EQ(columns("abc"), 3U);
  EXPECT_EQ(columns("漢字"), 4U);
  EXPECT_EQ(columns("😀"), 2U);
  EXPECT_EQ(columns("é–…"), 3U);
  EXPECT_EQ(cut_to_columns("漢字漢字", 8), "漢字漢字");
  EXPECT_EQ(cut_to_columns("漢字漢字", 7), "漢字漢…");
  EXPECT_EQ(cut_to_columns("漢字漢字", 6), "漢字…");
  EXPECT_EQ(cut_to_columns("abc", 2), "a…");
  EXPECT_EQ(cut_to_columns("漢", 1), "…");
  EXPECT_EQ(cut_to_columns("abc", 0), "");
}

TEST(Figures, AreShort) {
  EXPECT_EQ(short_duration(Millis{-1}), "0s");
  EXPECT_EQ(short_duration(Millis{7'999}), "7s");
  EXPECT_EQ(short_duration(Millis{72'000}), "1m12s");
  EXPECT_EQ(short_duration(Millis{7'380'000}), "2h03m");
  EXPECT_EQ(short_duration(Millis{100 * 3'600'000}), "4d04h");
  EXPECT_EQ(dollars(0.03123), "$0.0312");
  EXPECT_EQ(dollars(12.345), "$12.3450");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'234'567), "1,234,567");
  EXPECT_EQ(counted(1, "file"), "1 file");
  EXPECT_EQ(counted(0, "file"), "0 files");
  EXPECT_EQ(counted(2, "process"), "2 processes");
  EXPECT_EQ(dollars(std::optional<double>()), "unknown");
}

}  // namespace
}  // namespace ralph::console
