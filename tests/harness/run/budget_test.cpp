#include <fmt/core.h>

#include "harness/run/harness.h"

namespace ralph::run {
namespace {

using config::Key;

std::string stream_event(std::string_view event) {
  return fmt::format("line {{\"type\":\"stream_event\",\"event\":{}}}\n", event);
}
/// A request begins: what its prompt costs is known.
std::string request_begins(std::string_view id, int input_tokens) {
  return stream_event(fmt::format(
      R"({{"type":"message_start","message":{{"id":"{}","model":"claude-sonnet-5-5","usage":{{"input_tokens":{},"output_tokens":1}}}}}})",
      id, input_tokens));
}
/// It ends: what its answer costs is known.
std::string request_ends(int output_tokens) {
  return stream_event(fmt::format(
      R"({{"type":"message_delta","delta":{{}},"usage":{{"output_tokens":{}}}}})", output_tokens));
}

double price(std::int64_t input, std::int64_t output) {
  return *model::Table::builtin().cost_usd("claude-sonnet-5-5", {input, output, 0, 0, 0});
}

TEST(CostLimit, BitesWhileTheRequestIsStillRunning) {
  Bench bench;
  bench.flag(Key::max_cost, {fmt::format("{}", price(900'000, 0))});
  bench.script(init_line() + request_begins("m1", 1'000'000) + "hang\n");
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "limit_reached");
  EXPECT_EQ(ran.report.verdict.exit_code(), 6);
  EXPECT_TRUE(ran.report.verdict.message().contains("cost limit reached: $"))
      << ran.report.verdict.message();
  EXPECT_TRUE(ran.result().contains("\"attempts\":1")) << "a limit is final";
}

TEST(CostLimit, BitesWhenTheAnswerAsksForATool) {
  Bench bench;
  bench.flag(Key::max_cost, {fmt::format("{}", price(1000, 50'000))});
  bench.script(init_line() + request_begins("m1", 1000) + tool_line("call-1") +
               request_ends(60'000) + "hang\n");
  EXPECT_EQ(bench.run().outcome(), "limit_reached");
}

TEST(CostLimit, LetsALastAnswerFinish) {
  Bench bench;
  bench.flag(Key::max_cost, {fmt::format("{}", price(1000, 50'000))});
  bench.script(init_line() + request_begins("m1", 1000) + text_line("All done.") +
               request_ends(60'000) + result_line());
  EXPECT_EQ(bench.run().outcome(), "ok");
}

TEST(CostLimit, AddsUpTheRequestsOfARun) {
  Bench bench;
  bench.flag(Key::max_cost, {fmt::format("{}", price(250'000, 0))});
  std::string script = init_line();
  for (int i = 1; i <= 3; ++i) {
    script += request_begins(fmt::format("m{}", i), 100'000) + tool_line(fmt::format("t{}", i)) +
              request_ends(1) + tool_result_line(fmt::format("t{}", i));
  }
  bench.script(script + "hang\n");
  EXPECT_EQ(bench.run().outcome(), "limit_reached");
}

TEST(CostLimit, CountsWhatACrashedAttemptHasCost) {
  Bench bench;
  bench.flag(Key::max_cost, {fmt::format("{}", price(150'000, 0))});
  bench.script("once DIR/crashed\n" + init_line() + request_begins("m1", 100'000) +
               "signal 9\nend-once\n" + init_line() + request_begins("m2", 100'000) + "hang\n");
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "limit_reached");
  EXPECT_TRUE(ran.result().contains("\"attempts\":2"));
}

TEST(CostLimit, OfAModelWithoutAPriceIsSaidNotToBeKept) {
  Bench bench;
  bench.flag(Key::max_cost, {"0.01"});
  bench.script(
      R"(line {"type":"system","subtype":"init","session_id":"s","model":"unknown-model"})"
      "\n"
      R"(line {"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s","num_turns":1,"usage":{"input_tokens":10000000,"output_tokens":5}})"
      "\n");
  EXPECT_TRUE(bench.run().has("the price of 'unknown-model' is unknown"));
}

TEST(CostLimit, IsPassedToTheAgentWithPartialMessages) {
  Bench bench;
  bench.flag(Key::max_cost, {"1.5"});
  bench.script(good_turn());
  const auto journal = bench.journal(bench.run());
  EXPECT_TRUE(journal.contains(R"("--max-budget-usd","1.5")")) << journal;
  EXPECT_TRUE(journal.contains("--include-partial-messages"));
}

TEST(CostLimit, AContinuedSessionIsChargedThisRunOnly) {
  Bench bench;
  bench.script(good_turn());
  bench.run();
  bench.invocation.continue_session = true;
  bench.script(
      init_line() + text_line("More.") +
      R"(line {"type":"result","subtype":"success","is_error":false,"result":"More.","session_id":"session-1","num_turns":1,"total_cost_usd":0.75})"
      "\n");
  EXPECT_TRUE(bench.run().result().contains("\"cost_usd\":0.5"));
  const auto budget = *read_file(bench.in_workspace(".ralph/state/budget.json"));
  EXPECT_TRUE(budget.contains("0.75")) << budget;
}

}  // namespace
}  // namespace ralph::run
