// Failures, limits and stop requests of a loop with a scripted agent.

#include <csignal>

#include "harness/loop/scripted_loop.h"

namespace ralph::loop {
namespace {

using scripted::answered;
using scripted::ended;
using stream::Outcome;

class LoopLimits : public scripted::ScriptedLoop {};

TEST_F(LoopLimits, AFailedIterationIsRetriedAfterAPause) {
  setup.request.retries.pause = Millis{4000};
  fails(Outcome::crashed, "a");
  fails(Outcome::no_output);
  done("b");
  EXPECT_EQ(run().reason, store::StopReason::done);
  EXPECT_TRUE(records()[0].failed);
  EXPECT_EQ(records()[1].iteration, 2);
  const auto waits = seen.all<store::WaitStarted>();
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_EQ(waits[0].reason, store::WaitReason::failure);
  EXPECT_EQ(waits[1].until - waits[0].until, Millis{8000}) << "twice as long";
  EXPECT_EQ(keeper->state.waited, Millis{12'000});
}

TEST_F(LoopLimits, TooManyFailuresInARowStopTheLoopAndTheLastOneIsNamed) {
  setup.options.budget.failures = 2;
  fails(Outcome::crashed);
  fails(Outcome::no_output);
  const auto stop = run();
  EXPECT_EQ(stop.reason, store::StopReason::failures);
  EXPECT_TRUE(stop.why.starts_with("2, the last one: ")) << stop.why;
  EXPECT_FALSE(stop.why.contains("ERROR")) << stop.why;
}

TEST_F(LoopLimits, AnAnswerBetweenFailuresBeginsTheCountAnew) {
  setup.options.budget.failures = 2;
  fails(Outcome::crashed);
  answer("one", "a");
  fails(Outcome::crashed);
  done("b");
  EXPECT_EQ(run().reason, store::StopReason::done);
}

TEST_F(LoopLimits, AnAnswerThatIsNoneCountsAsAFailure) {
  runner.script.push_back([] { return ended(Outcome::ok); });
  done("a");
  EXPECT_EQ(run().reason, store::StopReason::done);
  EXPECT_TRUE(records()[0].failed);
  EXPECT_TRUE(records()[0].failure.contains("no valid answer after 3 corrections"));
}

TEST_F(LoopLimits, WithRollbackAFailedIterationLeavesNothing) {
  setup.options.commit = setup.options.rollback = true;
  fails(Outcome::crashed, "broken");
  done("b");
  EXPECT_EQ(run().reason, store::StopReason::done);
  EXPECT_EQ(seen.all<store::IterationRolledBack>(),
            (std::vector<store::IterationRolledBack>{{"cstart", 1}}));
  EXPECT_EQ(records()[0].tree, "start");
  EXPECT_FALSE(records()[0].changed);
}

TEST_F(LoopLimits, ARateLimitIsWaitedForAndTheAttemptDoesNotCount) {
  const auto reset = clock.now() + Millis{300'000};
  runner.script.push_back([reset] {
    auto run = ended(Outcome::rate_limited);
    run.verdict.resets_at = reset.time_since_epoch().count() / 1000;
    return run;
  });
  done("a");
  EXPECT_EQ(run().reason, store::StopReason::done);
  EXPECT_EQ(records()[0].step, store::LoopRecord::Step::attempt);
  EXPECT_EQ(records()[1].iteration, 1);
  const auto waits = seen.all<store::WaitStarted>();
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].reason, store::WaitReason::rate_limit);
  EXPECT_EQ(waits[0].until, reset + Millis{60'000});
  EXPECT_GE(clock.now(), waits[0].until);
  EXPECT_EQ(runner.requests[1].task, "iteration-0001-attempt-2");
}

TEST_F(LoopLimits, AnOutageIsWaitedForLongerEachTime) {
  for (int i = 0; i < 3; ++i) {
    runner.script.push_back([] {
      auto run = ended(Outcome::agent_error);
      run.verdict.detail = "connection refused";
      run.summary.error.emplace();
      run.summary.error->error_class = stream::ErrorClass::network;
      return run;
    });
  }
  done("a");
  const auto from = clock.now();
  EXPECT_EQ(run().reason, store::StopReason::done);
  const auto waits = seen.all<store::WaitStarted>();
  ASSERT_EQ(waits.size(), 3U);
  EXPECT_EQ(waits[0].text, "model API unreachable (connection refused)");
  EXPECT_EQ(waits[0].reason, store::WaitReason::outage);
  EXPECT_GE(waits[2].until - waits[1].until, Millis{60'000}) << "half of two minutes at least";
  EXPECT_LE(waits[0].until - from, Millis{30'000});
  EXPECT_EQ(keeper->totals().failures_in_a_row, 0);
}

TEST_F(LoopLimits, AnAgentThatCannotWorkStopsTheLoop) {
  fails(Outcome::auth_failed);
  const auto stop = run();
  EXPECT_EQ(stop.reason, store::StopReason::agent);
  EXPECT_EQ(stop.outcome, Outcome::auth_failed);
  EXPECT_EQ(records()[0].step, store::LoopRecord::Step::attempt);
}

TEST_F(LoopLimits, TheIterationLimitStopsTheLoop) {
  setup.options.budget.iterations = 2;
  answer("one", "a");
  answer("two", "b");
  EXPECT_EQ(run().reason, store::StopReason::iterations);
}

TEST_F(LoopLimits, NoProgressStopsTheLoop) {
  setup.options.budget.idle = 2;
  for (int i = 0; i < 3; ++i) answer("thinking");
  EXPECT_EQ(run().reason, store::StopReason::no_progress);
}

TEST_F(LoopLimits, TheCostLimitStopsTheLoopAndEachRunGetsWhatIsLeft) {
  setup.options.budget.cost_usd = 1.0;
  for (int i = 0; i < 2; ++i) {
    runner.script.push_back([this, i] {
      repository.files = std::to_string(i);
      auto run = answered("one");
      run.cost_at_least_usd = 0.6;
      return run;
    });
  }
  EXPECT_EQ(run().reason, store::StopReason::cost);
  EXPECT_DOUBLE_EQ(*runner.requests[0].ask.max_cost, 1.0);
  EXPECT_DOUBLE_EQ(*runner.requests[1].ask.max_cost, 0.4);
}

TEST_F(LoopLimits, ARunThatHitTheCostLimitStopsTheLoopOrItsAnswerCounts) {
  setup.options.budget.cost_usd = 1.0;
  runner.script.push_back([this] {
    repository.files = "a";
    auto run = ended(Outcome::limit_reached);
    run.hit_cost_limit = true;
    run.cost_at_least_usd = 1.0;
    run.answer = {"DONE", "", true};
    return run;
  });
  EXPECT_EQ(run().reason, store::StopReason::done);
}

TEST_F(LoopLimits, WithoutAnAnswerTheCostLimitIsTheReason) {
  setup.options.budget.cost_per_day_usd = 1.0;
  runner.script.push_back([] {
    auto run = ended(Outcome::limit_reached);
    run.hit_cost_limit = true;
    return run;
  });
  EXPECT_EQ(run().reason, store::StopReason::cost_per_day);
  EXPECT_EQ(records()[0].step, store::LoopRecord::Step::attempt);
}

TEST_F(LoopLimits, WhatEarlierLoopsCostTodayCounts) {
  setup.options.budget.cost_per_day_usd = 1.0;
  open();
  keeper->state.earlier_days = {{"2026-11-15", 1.0}, {"2026-11-14", 5.0}};
  EXPECT_EQ(run().reason, store::StopReason::cost_per_day);
  EXPECT_TRUE(runner.runs.empty());
}

TEST_F(LoopLimits, TheTimeLimitStopsTheLoopAndEachRunGetsWhatIsLeft) {
  setup.options.budget.time = Millis{1500};
  answer("one", "a");
  answer("two", "b");
  EXPECT_EQ(run().reason, store::StopReason::time);
  EXPECT_EQ(runner.requests[0].limits.wall, Millis{1500});
  EXPECT_EQ(runner.requests[1].limits.wall, Millis{500});
}

TEST_F(LoopLimits, APauseThatTheTimeLimitDoesNotAllowStopsTheLoop) {
  setup.options.budget.time = Millis{10'000};
  setup.request.retries.pause = Millis{20'000};
  fails(Outcome::crashed);
  const auto stop = run();
  EXPECT_EQ(stop.reason, store::StopReason::time);
  EXPECT_EQ(stop.would_wait, Millis{20'000});
  EXPECT_TRUE(clock.waited.empty());
}

TEST_F(LoopLimits, ARunThatTheTimeLimitEndedIsTheTimeLimit) {
  setup.options.budget.time = Millis{1000};
  runner.script.push_back([this] {
    clock.pass(Millis{1000});
    return ended(Outcome::timed_out);
  });
  EXPECT_EQ(run().reason, store::StopReason::time);
  EXPECT_EQ(records()[0].step, store::LoopRecord::Step::attempt);
}

TEST_F(LoopLimits, AStopRequestEndsTheLoopAfterItsIteration) {
  runner.script.push_back([this] {
    control.stop(SIGINT);
    repository.files = "a";
    return answered("one");
  });
  const auto stop = run();
  EXPECT_EQ(stop.reason, store::StopReason::stopped);
  EXPECT_EQ(stop.stopped_by, SIGINT);
  EXPECT_EQ(records().size(), 1U);
}

TEST_F(LoopLimits, RalphStopEndsTheLoopAfterItsIteration) {
  runner.script.push_back([this] {
    EXPECT_TRUE(keeper->files().ask_to_stop());
    return answered("one");
  });
  const auto stop = run();
  EXPECT_EQ(stop.reason, store::StopReason::stopped);
  EXPECT_EQ(stop.why, "'ralph stop'");
}

TEST_F(LoopLimits, ARunThatIsStoppedIsAnAttempt) {
  user_stops();
  const auto stop = run();
  EXPECT_EQ(stop.reason, store::StopReason::stopped);
  EXPECT_EQ(records()[0].step, store::LoopRecord::Step::attempt);
}

TEST_F(LoopLimits, AStopDuringVerificationLeavesTheIterationToWhoResumes) {
  verifier.names = {"make test"};
  verifier.while_verifying = [&] { control.stop_now(SIGTERM); };
  done("a");
  EXPECT_EQ(run().reason, store::StopReason::stopped);
  EXPECT_TRUE(records().empty());
  ASSERT_TRUE(keeper->state.current);
  EXPECT_EQ(keeper->state.current->phase, store::Phase::verify);
}

TEST_F(LoopLimits, AStopEndsAPause) {
  setup.request.retries.pause = Millis{30'000};
  runner.script.push_back([this] {
    EXPECT_TRUE(keeper->files().ask_to_stop());
    return ended(Outcome::crashed);
  });
  EXPECT_EQ(run().reason, store::StopReason::stopped);
  EXPECT_TRUE(clock.waited.empty());
}

}  // namespace
}  // namespace ralph::loop
