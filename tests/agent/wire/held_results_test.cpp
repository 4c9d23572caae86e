#include "agent/wire/held_results.h"

#include <functional>

#include "agent/session/scripted.h"

namespace ralph::wire {
namespace {

using Subagents = HeldResults::Subagents;

/// Copies the results that are reported.
struct ResultSink final : session::EventSink {
  void emit(const session::Identity&, const session::Event& event) override {
    const auto* ended = std::get_if<session::TurnEnded>(&event);
    if (ended == nullptr) return;
    results.push_back(ended->result);
    if (on_result) on_result();
  }
  std::vector<session::TurnResult> results;
  std::function<void()> on_result;
};

class HeldResultsTest : public ::testing::Test {
 protected:
  HeldResults make(settings::Format output = settings::Format::stream_json) {
    return HeldResults({.events = session::SessionEvents(sink_, identity_),
                        .ledger = ledger_,
                        .inbox = inbox_,
                        .tasks = tasks_,
                        .control = control_,
                        .subagent_stats = [this] { return stats_; },
                        .output = output,
                        .reporting = reporting_});
  }
  static session::TurnResult result_of(std::string text) {
    session::TurnResult result;
    result.text = std::move(text);
    return result;
  }
  void use_model() { ledger_.add("claude-sonnet-4-5", {.input_tokens = 1'000'000}); }

  ResultSink sink_;
  session::Identity identity_{"session-1"};
  session::Ledger ledger_{model::Table::builtin(), {}};
  session::Inbox inbox_;
  tool::BackgroundTasks tasks_;
  session::TurnControl control_;
  session::SubagentStats stats_;
  std::atomic<bool> reporting_ = false;
};

TEST_F(HeldResultsTest, StayUntilTheyAreReleasedAndKeepTheirOrder) {
  auto held = make();
  held.add(result_of("one"));
  held.add(result_of("two"));
  EXPECT_TRUE(sink_.results.empty());
  held.release(Subagents::done);
  held.add(result_of("three"));
  held.release(Subagents::done);
  held.release(Subagents::done);
  ASSERT_EQ(sink_.results.size(), 3U);
  const std::vector<std::string> texts{"one", "two", "three"};
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(sink_.results[i].text, texts[i]);
    EXPECT_EQ(sink_.results[i].index, static_cast<std::int64_t>(i));
    EXPECT_FALSE(sink_.results[i].is_error);
  }
}

TEST_F(HeldResultsTest, HaveTheCostsAtTheirRelease) {
  auto held = make();
  held.add(result_of("one"));
  held.add(result_of("two"));
  use_model();
  stats_.completed = 2;
  held.release(Subagents::done);
  ASSERT_EQ(sink_.results.size(), 2U);
  for (const auto& result : sink_.results) {
    EXPECT_DOUBLE_EQ(result.total_cost_usd, 3);
    EXPECT_EQ(result.totals.size(), 1U);
    EXPECT_EQ(result.subagents.completed, 2);
  }
  EXPECT_EQ(sink_.results[0].recent_totals.size(), 1U);
  EXPECT_TRUE(sink_.results[1].recent_totals.empty()) << "it is in the result before";
}

TEST_F(HeldResultsTest, AreErrorsIfTheirSubagentsWereStopped) {
  auto held = make();
  auto failed = result_of("");
  failed.is_error = true;
  failed.errors = {"the API failed"};
  failed.terminal_reason = session::TerminalReason::api_error;
  held.add(result_of("one"));
  held.add(failed);
  use_model();
  held.release(Subagents::stopped);
  ASSERT_EQ(sink_.results.size(), 2U);
  const auto& stopped = sink_.results[0];
  EXPECT_TRUE(stopped.is_error);
  EXPECT_EQ(stopped.subtype, session::ResultSubtype::execution);
  EXPECT_EQ(stopped.terminal_reason, session::TerminalReason::aborted_tools);
  EXPECT_EQ(stopped.errors.at(0), "the subagents of the turn were stopped");
  EXPECT_DOUBLE_EQ(stopped.total_cost_usd, 3);
  EXPECT_EQ(sink_.results[1].errors, failed.errors) << "it keeps its own reason";
  EXPECT_EQ(sink_.results[1].terminal_reason, session::TerminalReason::api_error);
  EXPECT_EQ(sink_.results[1].index, 1);
}

TEST_F(HeldResultsTest, TheLastOneGivesTheExitCode) {
  auto held = make();
  EXPECT_FALSE(held.last_is_error());
  held.add(result_of("one"));
  held.release(Subagents::stopped);
  EXPECT_TRUE(held.last_is_error());
  EXPECT_EQ(control_.answered(), 1);
  held.add(result_of("two"));
  EXPECT_TRUE(held.last_is_error());
  held.release(Subagents::done);
  EXPECT_FALSE(held.last_is_error());
  EXPECT_EQ(control_.answered(), 0);
}

TEST_F(HeldResultsTest, AClientMayDisconnectWhenNoMessageWaits) {
  auto held = make();
  std::vector<std::optional<int>> answered;
  sink_.on_result = [&] { answered.push_back(control_.answered()); };
  inbox_.hold();
  held.add(result_of("one"));
  held.release(Subagents::done);
  inbox_.release();
  held.add(result_of("two"));
  held.release(Subagents::done);
  EXPECT_EQ(answered, (std::vector<std::optional<int>>{std::nullopt, 0}));
}

TEST_F(HeldResultsTest, OfJsonAreReadOnlyAtTheEnd) {
  auto held = make(settings::Format::json);
  held.add(result_of("one"));
  held.release(Subagents::done);
  EXPECT_EQ(sink_.results.size(), 1U);
  EXPECT_EQ(control_.answered(), std::nullopt);
}

TEST_F(HeldResultsTest, ShowThatOneIsBeingReported) {
  auto held = make();
  std::vector<bool> reporting;
  sink_.on_result = [&] { reporting.push_back(reporting_); };
  held.add(result_of("one"));
  held.release(Subagents::done);
  EXPECT_EQ(reporting, std::vector{true});
  EXPECT_FALSE(reporting_);
}

}  // namespace
}  // namespace ralph::wire
