#include "agent/wire/harness.h"

namespace ralph::wire {
namespace {

constexpr std::string_view kSlowText =
    R"({"steps":[{"text":"word word word word word word","chunk_size":5,"chunk_delay_ms":60000},
                 {"text":"after"}]})";
/// Some words come, then the stream hangs.
constexpr std::string_view kHanging =
    R"({"steps":[{"text":"word word ","trouble":{"at":"in_block","do":"silence"}},{"text":"after"}]})";

TEST(Ending, AnInterruptKeepsTheTextAndExitsWith130) {
  Bench bench(kHanging);
  bench.when("word word", [](Bench& it) { it.signal(SIGINT); });
  const auto ran = bench.ask("hi", {"--include-partial-messages"});
  EXPECT_EQ(ran.code, 130);
  const auto answer = ran.of_type("assistant").at(0);
  EXPECT_EQ(answer["aborted"], true);
  EXPECT_EQ(texts(answer["message"]), "word word ");
  EXPECT_EQ(texts(ran.of_type("user").at(0)["message"]), "[Request interrupted by user]");
  const auto result = ran.result();
  EXPECT_EQ(result["subtype"], "error_during_execution");
  EXPECT_EQ(result["is_error"], true);
  EXPECT_EQ(result["terminal_reason"], "aborted_streaming");
  EXPECT_EQ(result["num_turns"], 2);
  EXPECT_FALSE(result["errors"].empty());
}

TEST(Ending, TheExitCodeOfAnInterruptCanBeTheOriginals) {
  Bench bench(kSlowText);
  bench.set("RALPH_AGENT_SIGINT_EXIT=0");
  bench.when("init", [](Bench& it) { it.signal(SIGINT); });
  EXPECT_EQ(bench.ask("hi").code, 0);
}

TEST(Ending, TextSaysThatItDidNotEndWell) {
  Bench bench(R"({"steps":[{"error":{"status":429,"headers":{"retry-after":"50"}}}]})");
  bench.when_asked([](Bench& it) { it.signal(SIGINT); });
  const auto ran = bench.run({"-p", "hi"});
  EXPECT_EQ(ran.code, 130);
  EXPECT_EQ(ran.out, "Execution error\n");
}

TEST(Ending, AnIdleAgentJustEnds) {
  Bench bench;
  bench.say("one");
  bench.when("\"type\":\"result\"", [](Bench& it) { it.signal(SIGINT); });
  const auto ran = bench.converse();
  EXPECT_EQ(ran.code, 130);
  EXPECT_EQ(ran.of_type("result").size(), 1U);
}

TEST(Ending, TerminationEndsAtOnceWithoutAResult) {
  for (const int number : {SIGTERM, SIGHUP}) {
    Bench bench(kHanging);
    bench.when("word word", [number](Bench& it) { it.signal(number); });
    const auto ran = bench.ask("hi", {"--include-partial-messages"});
    EXPECT_EQ(ran.code, 128 + number);
    EXPECT_EQ(ran.of_type("result").size(), 0U);
  }
}

TEST(Ending, APauseBeforeARetryEndsToo) {
  Bench bench(R"({"steps":[{"error":{"status":429,"headers":{"retry-after":"50"}}}]})");
  bench.when("api_retry", [](Bench& it) { it.signal(SIGINT); });
  const auto ran = bench.ask("hi");
  EXPECT_EQ(ran.code, 130);
  EXPECT_EQ(ran.story(), "system/init system/api_retry user result/error_during_execution");
}

TEST(Ending, StopsWhenStdoutIsClosed) {
  const std::string words(2000, 'w');
  Bench bench(R"({"steps":[{"text":")" + words + R"(","chunk_size":1,"chunk_delay_ms":5}]})");
  bench.when("init", [](Bench& it) { it.stop_reading(); });
  const auto ran = bench.ask("hi", {"--include-partial-messages"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(ran.err.contains("stdout is closed")) << ran.err;
}

TEST(Ending, StopsWhenStdoutIsClosedWhileWaiting) {
  Bench bench(kHanging);
  bench.when("word word", [](Bench& it) { it.lose_reader(); });
  const auto ran = bench.ask("hi", {"--include-partial-messages"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(ran.err.contains("stdout is closed")) << ran.err;
}

/// Although the client keeps stdin open, and a command still runs.
TEST(Ending, AnErrorInATurnEndsTheAgent) {
  for (
      const auto* const steps :
      {R"({"steps":[{"text":"Hello."}]})",
       R"({"steps":[{"tool_use":{"name":"Bash","input":{"command":"sleep 1000","run_in_background":true}}},
                     {"text":"Hello."}]})"}) {
    Bench bench(steps);
    bench.fail_to_print(R"("type":"result")");
    bench.say("one");
    bench.meanwhile([](Bench& it) {
      const bool warned = it.await_warning("ralph: out of memory; agent stopped");
      EXPECT_TRUE(warned);
      if (!warned) it.hang_up();
    });
    const auto ran = bench.converse({"--dangerously-skip-permissions"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_TRUE(ran.of_type("result").empty());
  }
}

TEST(Ending, AnInterruptedSessionContinues) {
  Bench bench(kHanging);
  bench.when("word word", [](Bench& it) { it.signal(SIGINT); });
  const auto first = bench.ask("first", {"--include-partial-messages"});
  const auto second = bench.ask("second", {"--continue"});
  EXPECT_EQ(second.code, 0);
  const auto& messages = second.requests.back()["messages"];
  ASSERT_EQ(messages.size(), 5U) << "a prompt without an answer gets a note";
  EXPECT_EQ(texts(messages[1]), "word word ");
  EXPECT_EQ(texts(messages[2]), "[Request interrupted by user]");
  EXPECT_EQ(texts(messages[4]), "second");
}

}  // namespace
}  // namespace ralph::wire
