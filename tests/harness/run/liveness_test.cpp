#include "harness/run/alive_recorder.h"
#include "harness/run/harness.h"

namespace ralph::run {
namespace {

using config::Key;

std::string background(int tasks) {
  return R"(line {"type":"system","subtype":"background_tasks_changed","tasks":[)" +
         std::string(tasks == 0 ? "" : R"({"task_id":"t1","status":"running"})") + "]}\n";
}

TEST(Liveness, ARunIsMarkedAliveOftenEnoughToKnowItsTimeToATenth) {
  EXPECT_EQ(until_next_mark(Millis{0}), Millis{1000});
  EXPECT_EQ(until_next_mark(Millis{60'000}), Millis{6'000});
  EXPECT_EQ(until_next_mark(Millis{10'000'000}), Millis{30'000});
}

TEST(Liveness, SilenceWhileTheModelIsWaitedForEndsTheRun) {
  Bench bench;
  bench.flag(Key::idle_timeout, {"200ms"});
  bench.script(init_line() + "hang\n");
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "timed_out");
  EXPECT_TRUE(ran.report.verdict.message().contains("no output for 200ms (--idle-timeout)"));
}

TEST(Liveness, ARunningToolMayBeSilent) {
  Bench bench;
  bench.flag(Key::idle_timeout, {"200ms"});
  bench.script(init_line() + tool_line("call-1") + "delay 1500\n" + tool_result_line("call-1") +
               result_line());
  EXPECT_EQ(bench.run().outcome(), "ok");
}

TEST(Liveness, AfterTheToolTheSilenceCountsAgain) {
  Bench bench;
  bench.flag(Key::idle_timeout, {"200ms"});
  bench.script(init_line() + tool_line("call-1") + tool_result_line("call-1") + "hang\n");
  EXPECT_EQ(bench.run().outcome(), "timed_out");
}

TEST(Liveness, ACallWhoseResultWasNeverToldIsOverWithTheNextMessage) {
  Bench bench;
  bench.flag(Key::idle_timeout, {"200ms"});
  bench.script(
      init_line() + tool_line("call-1") +
      R"(line {"type":"assistant","message":{"id":"m2","role":"assistant","model":"claude-sonnet-5-5","content":[{"type":"text","text":"Next."}],"usage":{"input_tokens":1,"output_tokens":1}}})"
      "\nhang\n");
  EXPECT_EQ(bench.run().outcome(), "timed_out");
}

TEST(Liveness, ProcessorTimeIsASignOfLife) {
  Bench bench;
  bench.flag(Key::idle_timeout, {"600ms"});
  bench.script(init_line() + "busy 3000\n" + result_line());
  EXPECT_EQ(bench.run().outcome(), "ok");
}

TEST(Liveness, AnAgentThatStaysAfterItsResultIsEndedAndHasSucceeded) {
  Bench bench;
  bench.flag(Key::after_end_timeout, {"200ms"});
  bench.script("ignore-term\n" + good_turn() + "hang\n");
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "ok");
  EXPECT_EQ(ran.summary.text, "All done.");
}

TEST(Liveness, ZeroAfterTheEndIsNoLimit) {
  Bench bench;
  bench.flag(Key::after_end_timeout, {"0"});
  bench.script(good_turn() + "delay 300\nnotify DIR/finished\n");
  EXPECT_EQ(bench.run().outcome(), "ok");
  EXPECT_TRUE(std::filesystem::exists(bench.folder() / "finished"));
}

TEST(Liveness, BackgroundTasksAreWaitedFor) {
  Bench bench;
  bench.flag(Key::after_end_timeout, {"200ms"});
  bench.flag(Key::idle_timeout, {"200ms"});
  bench.script(init_line() + background(1) + result_line("First.") + "delay 1500\n" +
               background(0) + good_turn("Second."));
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "ok");
  EXPECT_EQ(ran.summary.result_count, 2);
  EXPECT_EQ(ran.summary.text, "Second.");
}

TEST(Liveness, ANewTurnAfterTheResultIsNotCutShort) {
  Bench bench;
  bench.flag(Key::after_end_timeout, {"1s"});
  bench.script(good_turn("First.") + init_line() + "delay 2500\n" + result_line("Second."));
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "ok");
  EXPECT_EQ(ran.summary.text, "Second.");
}

TEST(FailFast, AWrongKeyIsSeenAtTheFirstRetry) {
  Bench bench;
  bench.script(
      init_line() +
      R"(line {"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":500,"error_status":401,"error":"authentication_failed"})"
      "\nhang\n");
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "auth_failed");
  EXPECT_EQ(ran.report.verdict.exit_code(), 3);
}

TEST(FailFast, AnErrorAboutTheKeyNeedsNoResult) {
  Bench bench;
  bench.script(
      init_line() +
      R"(line {"type":"assistant","error":"authentication_failed","is_api_error_message":true,"message":{"model":"<synthetic>","role":"assistant","content":[{"type":"text","text":"Invalid API key"}]}})"
      "\nhang\n");
  EXPECT_EQ(bench.run().outcome(), "auth_failed");
}

TEST(FailFast, ARefusedKeyIsTheReasonWhateverFollows) {
  Bench bench;
  bench.script(
      init_line() +
      R"(line {"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":500,"error_status":401,"error":"authentication_failed"})"
      "\n" +
      text_line("Going on.") + "hang\n");
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "auth_failed");
  EXPECT_TRUE(ran.result().contains("\"attempts\":1"));
}

TEST(FailFast, ADenialThatOnlyTheResultOfTheToolTells) {
  Bench bench;
  bench.script(
      init_line() + tool_line("call-1") +
      R"(line {"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"call-1","is_error":true,"content":"denied"}]},"tool_result_meta":[{"id":"call-1","permission_decision":{"decision":"reject","source":"config"}}]})"
      "\nhang\n");
  EXPECT_EQ(bench.run().outcome(), "permission_denied");
}

TEST(FailFast, OnDenialContinueLetsTheAgentGoOn) {
  Bench bench;
  bench.flag(Key::on_denial, {"continue"});
  bench.script(
      init_line() + tool_line("call-1") +
      R"(line {"type":"system","subtype":"permission_denied","tool_name":"Bash","tool_use_id":"call-1","message":"denied"})"
      "\n" +
      result_line());
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "ok");
  EXPECT_TRUE(ran.result().contains("\"denials\":1"));
}

}  // namespace
}  // namespace ralph::run
