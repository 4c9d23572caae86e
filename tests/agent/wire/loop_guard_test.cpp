#include "agent/session/loop_guard.h"

#include "agent/wire/harness.h"

namespace ralph::wire {
namespace {

using Verdict = LoopGuard::Verdict;

/// One letter a round: what is called and what comes of it.
std::string verdicts(LoopGuard& guard, std::string_view rounds) {
  std::string out;
  for (const char round : rounds) {
    guard.add("Bash", std::string(1, round), "same");
    const auto verdict = guard.end_round();
    out += verdict == Verdict::stop ? 's' : verdict == Verdict::warn ? 'w' : '.';
  }
  return out;
}

TEST(LoopGuard, WarnsAtTheLimitAndStopsAtTwiceThat) {
  LoopGuard guard(3);
  EXPECT_EQ(verdicts(guard, "AAAAAA"), "..w..s");
  EXPECT_EQ(guard.times(), 6);
  EXPECT_EQ(guard.repeated(), "Bash A");
}

TEST(LoopGuard, SeesCyclesOfTwoAndThree) {
  LoopGuard two(3), three(2);
  EXPECT_EQ(verdicts(two, "ABABABABABAB"), ".....w.....s");
  EXPECT_EQ(two.repeated(), "Bash A, then Bash B");
  EXPECT_EQ(verdicts(three, "ABCABCABCABC"), ".....w.....s");
}

TEST(LoopGuard, AnotherCallResetsTheCount) {
  LoopGuard guard(3);
  EXPECT_EQ(verdicts(guard, "AAAAXAAAAA"), "..w....w..");
}

TEST(LoopGuard, AnotherResultIsSomethingElse) {
  LoopGuard guard(2);
  for (int i = 0; i < 10; ++i) {
    guard.add("Bash", "A", std::to_string(i));
    EXPECT_EQ(guard.end_round(), Verdict::fine);
  }
}

TEST(LoopGuard, CallsOfOneAnswerCountTogetherInAnyOrder) {
  LoopGuard guard(2);
  guard.add("Read", "a", "1");
  guard.add("Read", "b", "2");
  EXPECT_EQ(guard.end_round(), Verdict::fine);
  guard.add("Read", "b", "2");
  guard.add("Read", "a", "1");
  EXPECT_EQ(guard.end_round(), Verdict::warn);
}

TEST(LoopGuard, IsOffWithoutALimit) {
  LoopGuard guard(0);
  EXPECT_EQ(verdicts(guard, "AAAAAAAAAA"), "..........");
}

constexpr std::string_view kForever =
    R"({"steps":[{"tool_use":{"name":"Bash","input":{"command":"echo same"}}}]})";

TEST(LoopGuardTurn, TellsTheModelThenEndsTheTurn) {
  Bench bench(kForever);
  const auto ran = bench.ask("go", {"--dangerously-skip-permissions", "--loop-guard", "2"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.requests.size(), 4U);
  const auto told = json::write(ran.requests[2]["messages"].back());
  EXPECT_TRUE(told.contains("[loop-guard]") && told.contains("2 times")) << told;
  const auto result = ran.result();
  EXPECT_EQ(result["is_error"], true);
  EXPECT_EQ(result["terminal_reason"], "loop_guard");
  EXPECT_EQ(result["num_turns"], 5) << "the warning is sent with the results of a call";
  const auto text = result.value("result", "");
  EXPECT_TRUE(text.contains("echo same") && text.contains("4 times") &&
              text.contains("--loop-guard"))
      << text;
}

TEST(LoopGuardTurn, TheVariableSwitchesItOnAndTheFlagWins) {
  Bench on(kForever);
  on.set("RALPH_AGENT_LOOP_GUARD=2");
  EXPECT_EQ(on.ask("go", {"--dangerously-skip-permissions"}).requests.size(), 4U);
  Bench off(kForever);
  off.set("RALPH_AGENT_LOOP_GUARD=2");
  const auto ran =
      off.ask("go", {"--dangerously-skip-permissions", "--loop-guard", "0", "--max-turns", "8"});
  EXPECT_EQ(ran.requests.size(), 8U);
}

TEST(LoopGuardTurn, IsOffByDefault) {
  Bench bench(kForever);
  const auto ran = bench.ask("go", {"--dangerously-skip-permissions", "--max-turns", "12"});
  EXPECT_EQ(ran.result()["subtype"], "error_max_turns");
  EXPECT_FALSE(ran.out.contains("loop-guard"));
}

TEST(LoopGuardTurn, ALimitThatMakesNoSenseIsRefused) {
  EXPECT_TRUE(Bench().ask("go", {"--loop-guard", "1"}).err.contains("at least 2"));
}

}  // namespace
}  // namespace ralph::wire
