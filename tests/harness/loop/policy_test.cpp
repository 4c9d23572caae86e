#include "harness/loop/policy.h"

#include <csignal>

#include <gtest/gtest.h>

#include "harness/loop/run_timer.h"
#include "harness/stream/handler.h"

namespace ralph::loop {
namespace {

const UtcTime kNow = *parse_iso("2026-11-15T14:00:00Z");

std::optional<store::StopReason> reached(const store::LoopLimits& budget,
                                         const store::LoopTotals& totals,
                                         Millis elapsed = Millis{0}) {
  return limit_reached(budget, totals, {{"2026-11-15", 1.0}, {"2026-11-14", 50.0}}, elapsed, kNow);
}

TEST(LoopBudget, EachLimitEndsTheLoopAndSaysSo) {
  store::LoopTotals totals;
  totals.iterations = 10;
  totals.cost_usd = 2;
  totals.days = {{"2026-11-15", 2.0}};
  totals.failures_in_a_row = 3;
  totals.refused_in_a_row = 3;
  totals.idle_in_a_row = 3;
  store::LoopLimits none;
  none.refusals = 0;
  EXPECT_EQ(reached(none, totals, Millis{1'000'000}), std::nullopt);
  const auto with = [&](auto change) {
    auto budget = none;
    change(budget);
    return reached(budget, totals, Millis{1000});
  };
  EXPECT_EQ(with([](store::LoopLimits& b) { b.iterations = 10; }), store::StopReason::iterations);
  EXPECT_EQ(with([](store::LoopLimits& b) { b.iterations = 11; }), std::nullopt);
  EXPECT_EQ(with([](store::LoopLimits& b) { b.time = Millis{1000}; }), store::StopReason::time);
  EXPECT_EQ(with([](store::LoopLimits& b) { b.cost_usd = 2; }), store::StopReason::cost);
  EXPECT_EQ(with([](store::LoopLimits& b) { b.cost_usd = 2.01; }), std::nullopt);
  EXPECT_EQ(with([](store::LoopLimits& b) { b.cost_per_day_usd = 3; }),
            store::StopReason::cost_per_day);
  EXPECT_EQ(with([](store::LoopLimits& b) { b.cost_per_day_usd = 3.01; }), std::nullopt)
      << "yesterday counts not";
  EXPECT_EQ(with([](store::LoopLimits& b) { b.failures = 3; }), store::StopReason::failures);
  EXPECT_EQ(with([](store::LoopLimits& b) { b.idle = 3; }), store::StopReason::no_progress);
  EXPECT_EQ(with([](store::LoopLimits& b) { b.refusals = 3; }), store::StopReason::refused);
}

TEST(LoopBudget, ARunMayCostWhatTheNearestLimitLeaves) {
  store::LoopTotals totals;
  totals.cost_usd = 2;
  totals.days = {{"2026-11-15", 2.0}};
  store::LoopLimits budget;
  EXPECT_EQ(cost_left(budget, totals, {}, kNow), std::nullopt);
  budget.cost_usd = 5;
  EXPECT_DOUBLE_EQ(*cost_left(budget, totals, {}, kNow), 3);
  budget.cost_per_day_usd = 4;
  EXPECT_DOUBLE_EQ(*cost_left(budget, totals, {{"2026-11-15", 1.5}}, kNow), 0.5);
}

TEST(LoopEnds, EveryReasonHasItsRowNameAndExitCode) {
  for (int i = 0; i <= static_cast<int>(store::StopReason::unknown); ++i) {
    const auto end = static_cast<store::StopReason>(i);
    EXPECT_EQ(row(end).reason, end);
    EXPECT_EQ(store::stop_reason_named(row(end).name), end);
    EXPECT_FALSE(row(end).meaning.empty());
  }
  EXPECT_EQ(stream::row(row(store::StopReason::done).outcome).exit_code, 0);
  for (const auto end :
       {store::StopReason::unchanged, store::StopReason::refused, store::StopReason::iterations,
        store::StopReason::time, store::StopReason::cost, store::StopReason::cost_per_day,
        store::StopReason::failures, store::StopReason::no_progress}) {
    EXPECT_EQ(stream::row(row(end).outcome).exit_code, 6) << row(end).name;
    EXPECT_FALSE(row(end).meaning.empty());
  }
}

TEST(LoopPolicy, OutagesAndRateLimitsBurnNoFailure) {
  using stream::ErrorClass;
  using stream::Outcome;
  stream::Summary summary(model::Table::builtin());
  const auto of = [&](Outcome outcome, ErrorClass error = ErrorClass::unknown) {
    summary.error = stream::Summary::LastError{error, "x", {}, {}};
    return next_step_after({outcome, {}, {}, {}, 0}, summary);
  };
  EXPECT_EQ(of(Outcome::rate_limited), NextStep::wait_for_rate_limit);
  EXPECT_EQ(of(Outcome::agent_error, ErrorClass::network), NextStep::wait_for_outage);
  EXPECT_EQ(of(Outcome::agent_error, ErrorClass::overloaded), NextStep::wait_for_outage);
  EXPECT_EQ(of(Outcome::agent_error, ErrorClass::internal), NextStep::next_iteration);
  EXPECT_EQ(of(Outcome::crashed), NextStep::next_iteration);
  EXPECT_EQ(of(Outcome::timed_out), NextStep::next_iteration);
  EXPECT_EQ(of(Outcome::ok), NextStep::next_iteration) << "without an answer";
  for (const auto outcome : {Outcome::auth_failed, Outcome::not_installed, Outcome::storage_failed,
                             Outcome::bad_usage}) {
    EXPECT_EQ(of(outcome), NextStep::stop_agent);
  }
}

TEST(LoopPolicy, ARateLimitIsWaitedForAMinuteLongerThanItSays) {
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(kNow.time_since_epoch()).count();
  EXPECT_EQ(rate_limit_pause(now + 300, kNow, 1), Millis{360'000});
  EXPECT_EQ(rate_limit_pause(now - 300, kNow, 1), Millis{60'000}) << "its reset is past";
  EXPECT_EQ(rate_limit_pause(std::nullopt, kNow, 1), Millis{60'000});
  EXPECT_EQ(rate_limit_pause(std::nullopt, kNow, 3), Millis{240'000});
  EXPECT_EQ(rate_limit_pause(9'000'000'000'000, kNow, 1), Millis{60'000}) << "that is no time";
  EXPECT_EQ(rate_limit_pause(std::nullopt, kNow, 100), Millis{30 * 60'000});
}

TEST(LoopPolicy, OutagesAreWaitedForLongerEachTimeWithJitter) {
  EXPECT_EQ(outage_pause(1, 0), Millis{15'000});
  EXPECT_EQ(outage_pause(1, 0.5), Millis{22'500});
  EXPECT_EQ(outage_pause(3, 0), Millis{60'000});
  EXPECT_LE(outage_pause(1000, 0.999), Millis{30 * 60'000});
}

TEST(LoopPolicy, AnAgentThatFailsAtOnceDoesNotSpin) {
  EXPECT_EQ(failure_pause(1, Millis{1000}), Millis{1000});
  EXPECT_EQ(failure_pause(4, Millis{1000}), Millis{8000});
  EXPECT_EQ(failure_pause(1'000'000, Millis{1000}), Millis{60'000});
  EXPECT_EQ(failure_pause(3, Millis{0}), Millis{0});
}

TEST(LoopTime, IsSplitIntoModelToolsAndTheRest) {
  RunTimer keeper;
  const auto at = [&](std::int64_t ms, stream::Payload what) {
    stream::Event event;
    event.t_ms = ms;
    event.what = what;
    stream::dispatch(event, keeper);
  };
  at(100, stream::SessionStarted{});
  at(600, stream::ToolCall{"1", "Bash"});
  at(700, stream::ToolCall{"2", "Read"});
  at(900, stream::ToolResult{"1"});
  at(1600, stream::ToolResult{"2"});
  at(2000, stream::TurnEnded{});
  at(2500, stream::RunResult{});
  EXPECT_EQ(keeper.split(), (store::TimeSplit{Millis{900}, Millis{1000}, Millis{600}}));
}

TEST(LoopTime, ARunThatWasKilledLastedUntilItsLastSignOfLife) {
  RunTimer keeper;
  stream::Event event;
  event.t_ms = 600;
  event.what = stream::ToolCall{"1", "Bash"};
  stream::dispatch(event, keeper);
  keeper.lasted_until(10'600);
  keeper.lasted_until(5'000);
  EXPECT_EQ(keeper.split(), (store::TimeSplit{Millis{0}, Millis{10'000}, Millis{600}}));
}

}  // namespace
}  // namespace ralph::loop
