#include "system/process/harness.h"
#include "system/process/run_handle_state.h"

namespace ralph::process {
namespace {

TEST(Limits, LongOnesAreLongAndNegativeOnesAreOver) {
  for (const Limit limit : {Limit::wall, Limit::silence, Limit::after_end}) {
    RunHandle watch;
    watch.arm(limit, Millis::max());
    EXPECT_EQ(run(Agent("line done\n").command, watch).exit.ended_by, EndedBy::nothing);
  }
  RunHandle watch;
  watch.arm(Limit::wall, Millis::min());
  EXPECT_EQ(run(Agent("hang\n").command, watch).exit.ended_by, EndedBy::wall);
}

TEST(Limits, AVeryLongGraceIsNotAShortOne) {
  Agent agent("on-term bye\\n\nnotify DIR/ready\nhang\n");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  std::string out;
  std::stop_source stop;
  std::jthread stopper([&] {
    EXPECT_TRUE(agent.reached("ready"));
    stop.request_stop();
  });
  RunHandle watch;
  const Exit exit = supervise(std::move(*child), {append_to(out), {}}, watch, stop.get_token(),
                              {.grace = Millis::max()});
  EXPECT_EQ(exit.ended_by, EndedBy::stop_request);
  EXPECT_EQ(exit.exit_code, 0);
  EXPECT_EQ(out, "bye\n");
}

TEST(Limits, WallNamesItself) {
  RunHandle watch;
  watch.arm(Limit::wall, Millis{30});
  const Ran ran = run(Agent("line one\nhang\n").command, watch);
  EXPECT_EQ(ran.exit.ended_by, EndedBy::wall);
  EXPECT_EQ(ran.exit.signal, SIGTERM);
}

TEST(Limits, SilenceNamesItselfAndKeepsTheOutput) {
  Agent agent("line one\nhang\n");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  RunHandle watch;
  std::string out;
  const Sinks sinks{[&](std::string_view bytes) -> Result<> {
                      out += bytes;
                      watch.arm(Limit::silence, Millis{30});
                      return {};
                    },
                    {}};
  const Exit exit = supervise(*std::move(child), sinks, watch, {}, patient());
  EXPECT_EQ(exit.ended_by, EndedBy::silence);
  EXPECT_EQ(out, "one\n");
}

TEST(Limits, AfterEndKeepsTheResultOfAProgramThatStays) {
  Agent agent("line {\"type\":\"result\"}\nhang\n", Transport::pty);
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  RunHandle watch;
  watch.arm(Limit::wall, kLongWait);
  std::string out;
  const Sinks sinks{[&](std::string_view bytes) -> Result<> {
                      out += bytes;
                      if (out.ends_with('\n')) watch.arm(Limit::after_end, Millis{20});
                      return {};
                    },
                    {}};
  const Exit exit = supervise(*std::move(child), sinks, watch, {}, patient());
  EXPECT_EQ(exit.ended_by, EndedBy::after_end);
  EXPECT_EQ(out, "{\"type\":\"result\"}\n");
}

TEST(Limits, AProgramThatLeavesInTimeIsNotEnded) {
  RunHandle watch;
  watch.arm(Limit::wall, kLongWait);
  watch.arm(Limit::silence, kLongWait);
  watch.arm(Limit::after_end, kLongWait);
  const Ran ran = run(Agent("exit 0").command, watch);
  EXPECT_EQ(ran.exit.ended_by, EndedBy::nothing);
  EXPECT_EQ(ran.exit.exit_code, 0);
}

TEST(Limits, ThatAreDisarmedNeverStrike) {
  RunHandle watch;
  for (const Limit limit : {Limit::wall, Limit::silence, Limit::after_end}) {
    watch.arm(limit, Millis{0});
    watch.disarm(limit);
  }
  EXPECT_EQ(run(Agent("delay 20\nexit 0\n").command, watch).exit.ended_by, EndedBy::nothing);
}

TEST(Limits, CanBeMovedLaterAndEarlierFromAnotherThread) {
  Agent agent("notify DIR/up\nhang\n");
  RunHandle watch;
  watch.arm(Limit::wall, kLongWait);
  watch.arm(Limit::after_end, kLongWait);
  std::jthread mover([&] {
    EXPECT_TRUE(agent.reached("up"));
    watch.arm(Limit::wall, kLongWait * 2);
    watch.arm(Limit::after_end, Millis{1});
  });
  EXPECT_EQ(run(agent.command, watch).exit.ended_by, EndedBy::after_end);
}

/// When the silence limit of a watch would strike.
SteadyTime silence_deadline(RunHandle& watch) {
  const auto nearest = RunHandleAccess::state(watch).nearest();
  return nearest ? nearest->at : SteadyTime{};
}

TEST(Limits, SilenceIsMovedByTouch) {
  RunHandle watch;
  watch.arm(Limit::silence, kLongWait);
  const SteadyTime before = silence_deadline(watch);
  std::this_thread::sleep_for(Millis{1});
  watch.touch();
  EXPECT_GT(silence_deadline(watch), before);
}

TEST(Limits, SilenceIsMovedByEveryPieceOfOutput) {
  // Each piece is written only when the one before it has been taken.
  Agent agent("line a\nwait-file DIR/1\nstderr b\nwait-file DIR/2\nline c\n");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  RunHandle watch;
  watch.arm(Limit::silence, kLongWait);
  std::vector<SteadyTime> deadlines;
  const Sink note = [&](std::string_view) -> Result<> {
    deadlines.push_back(silence_deadline(watch));
    agent.folder.write(std::to_string(deadlines.size()), "");
    return {};
  };
  EXPECT_EQ(supervise(*std::move(child), {note, note}, watch, {}, patient()).exit_code, 0);
  ASSERT_EQ(deadlines.size(), 3U);
  EXPECT_LT(deadlines[0], deadlines[1]);
  EXPECT_LT(deadlines[1], deadlines[2]);
}

/// The first piece takes longer than the limit allows for silence; the next one lies in the full pipe already.
TEST(Limits, ASlowSinkIsNotSilence) {
  Agent agent("flood 200000\nexit 0\n");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  RunHandle watch;
  std::uint64_t taken = 0;
  int pieces = 0;
  const Sinks sinks{[&](std::string_view bytes) -> Result<> {
                      taken += bytes.size();
                      if (++pieces == 2) watch.disarm(Limit::silence);
                      if (pieces > 1) return {};
                      watch.arm(Limit::silence, Millis{100});
                      std::this_thread::sleep_for(Millis{300});
                      return {};
                    },
                    {}};
  const Exit exit = supervise(*std::move(child), sinks, watch, {}, patient());
  EXPECT_EQ(exit.ended_by, EndedBy::nothing);
  EXPECT_EQ(taken, 200'000U);
}

TEST(Limits, TheNearestOneStrikes) {
  RunHandle watch;
  watch.arm(Limit::after_end, kLongWait);
  watch.arm(Limit::wall, Millis{10});
  watch.arm(Limit::silence, kLongWait);
  EXPECT_EQ(run(Agent("hang").command, watch).exit.ended_by, EndedBy::wall);
}

TEST(Limits, StopRequestEndsTheRun) {
  Agent agent("spawn-tool\nnotify DIR/up\nhang\n");
  std::stop_source stop;
  std::jthread stopper([&] {
    EXPECT_TRUE(agent.reached("up"));
    stop.request_stop();
  });
  RunHandle watch;
  const Ran ran = run(agent.command, watch, stop.get_token());
  EXPECT_EQ(ran.exit.ended_by, EndedBy::stop_request);
  EXPECT_EQ(ran.exit.signal, SIGTERM);
  EXPECT_TRUE(agent.nothing_alive());
}

TEST(Limits, StopRequestedBeforeTheStartCounts) {
  std::stop_source stop;
  stop.request_stop();
  RunHandle watch;
  EXPECT_EQ(run(Agent("hang").command, watch, stop.get_token()).exit.ended_by,
            EndedBy::stop_request);
}

TEST(Limits, AProgramMayFinishItsWorkWithinTheGrace) {
  Agent agent("on-term saved\\n\nnotify DIR/up\nhang\n");
  std::stop_source stop;
  std::jthread stopper([&] {
    EXPECT_TRUE(agent.reached("up"));
    stop.request_stop();
  });
  RunHandle watch;
  const Ran ran = run(agent.command, watch, stop.get_token(), patient());
  EXPECT_EQ(ran.exit.ended_by, EndedBy::stop_request);
  EXPECT_EQ(ran.exit.exit_code, 0);
  EXPECT_EQ(ran.out, "saved\n");
}

TEST(Limits, AProgramThatIgnoresTermIsKilled) {
  RunHandle watch;
  Agent agent("ignore-term\nnotify DIR/up\nhang\n");
  std::jthread limiter([&] {
    EXPECT_TRUE(agent.reached("up"));
    watch.arm(Limit::wall, Millis{0});
  });
  const Ran ran = run(agent.command, watch, {}, hasty());
  EXPECT_EQ(ran.exit.ended_by, EndedBy::wall);
  EXPECT_EQ(ran.exit.signal, SIGKILL);
}

TEST(Limits, ASignalGoesToTheProgramAlone) {
  Agent agent("on-int interrupted\\n\nspawn-tool\nnotify DIR/up\nhang\n");
  RunHandle watch;
  std::jthread interrupter([&] {
    EXPECT_TRUE(agent.reached("up"));
    watch.send_signal(SIGINT);
  });
  const Ran ran = run(agent.command, watch);
  EXPECT_EQ(ran.exit.ended_by, EndedBy::nothing);
  EXPECT_EQ(ran.exit.exit_code, 0);
  EXPECT_EQ(ran.out, "interrupted\n");
  EXPECT_EQ(ran.exit.strays, 1);
}

}  // namespace
}  // namespace ralph::process
