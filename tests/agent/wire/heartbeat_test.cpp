#include "agent/wire/harness.h"

namespace ralph::wire {
namespace {

/// A command that ends when somebody makes the file "go".
constexpr std::string_view kWaits =
    R"({"steps":[{"tool_use":{"name":"Bash","input":{"command":"until [ -e go ]; do sleep 0.01; done; echo gone; exit CODE","description":"Wait for it"}}},{"text":"Done."}]})";

std::string waiting(std::string_view code) {
  std::string scenario(kWaits);
  scenario.replace(scenario.find("CODE"), 4, code);
  return scenario;
}

void let_go(Bench& bench) { EXPECT_TRUE(write_file_atomically(bench.work() / "go", "", 0600)); }

TEST(HeartbeatReporter, ReportsALongCommandUntilItEnds) {
  Bench bench(waiting("0"));
  bench.heartbeats = {Millis{0}, Millis{1}};
  bench.when("-heartbeat-2\"", let_go);
  const auto ran = bench.ask("go", {"--dangerously-skip-permissions"});
  EXPECT_EQ(ran.code, 0);
  const auto events = ran.events();
  ASSERT_TRUE(ran.story().starts_with("system/init assistant system/task_started tool_progress "))
      << ran.story();
  EXPECT_TRUE(ran.story().ends_with(
      "tool_progress system/task_notification user assistant result/success"));
  const auto& started = events[2];
  EXPECT_EQ(started["description"], "Wait for it");
  EXPECT_EQ(started["is_backgrounded"], false);
  EXPECT_EQ(started["task_type"], "local_bash");
  EXPECT_EQ(started["tool_use_id"], "toolu_mock_000001");
  const auto& beat = events[3];
  EXPECT_EQ(beat["tool_use_id"], "toolu_mock_000001-heartbeat-0");
  EXPECT_EQ(beat["parent_tool_use_id"], "toolu_mock_000001");
  EXPECT_EQ(beat["tool_name"], "Bash");
  EXPECT_EQ(beat["heartbeat"], true);
  EXPECT_TRUE(beat["elapsed_time_seconds"].is_number_integer());
  const auto& ended = events[events.size() - 4];
  EXPECT_EQ(ended["task_id"], started["task_id"]);
  EXPECT_EQ(ended["status"], "completed");
  EXPECT_EQ(ended["output_file"], "");
}

TEST(HeartbeatReporter, ReportsAFailedCommand) {
  Bench bench(waiting("3"));
  bench.heartbeats = {Millis{0}, Millis{3'600'000}};
  bench.when("task_started", let_go);
  const auto ran = bench.ask("go", {"--dangerously-skip-permissions"});
  EXPECT_TRUE(ran.out.contains(R"("status":"failed")"));
  EXPECT_FALSE(ran.out.contains("tool_progress"));
}

TEST(HeartbeatReporter, DoesNotReportAShortCommand) {
  Bench bench(
      R"({"steps":[{"tool_use":{"name":"Bash","input":{"command":"true"}}},{"text":"Done."}]})");
  bench.heartbeats = {Millis{3'600'000}, Millis{3'600'000}};
  const auto ran = bench.ask("go", {"--dangerously-skip-permissions"});
  EXPECT_EQ(ran.story(), "system/init assistant user assistant result/success");
}

TEST(HeartbeatReporter, AnInterruptedCommandEndsForTheClientToo) {
  Bench bench(waiting("0"));
  bench.heartbeats = {Millis{0}, Millis{3'600'000}};
  bench.when("task_started", [](Bench& it) { it.signal(SIGINT); });
  const auto ran = bench.ask("go", {"--dangerously-skip-permissions"});
  EXPECT_EQ(ran.code, 130);
  EXPECT_TRUE(ran.out.contains("task_notification"));
}

}  // namespace
}  // namespace ralph::wire
