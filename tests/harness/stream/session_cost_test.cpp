#include <string>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "harness/stream/judge.h"

namespace ralph::stream {
namespace {

const std::string kSession =
    R"({"type":"system","subtype":"init","session_id":"s","model":"claude-opus-5-5"})"
    "\n";

/// 100,000 tokens in, 10,000 out, at the price of claude-opus-5-5: $0.60.
std::string turn_with_total(double total_usd, std::string_view usage) {
  return fmt::format(
      R"({{"type":"result","is_error":false,"result":"x","num_turns":1,"total_cost_usd":{},"usage":{}}})"
      "\n",
      total_usd, usage);
}

TEST(Summary, ATotalOfTheProcessOnlyIsNotReducedByEarlierRuns) {
  constexpr auto kUsage = R"({"input_tokens":100000,"output_tokens":10000})";
  const struct {
    double known, first, second, cost, session;
  } rows[] = {
      {0.6, 0.61, 1.21, 1.21, 1.81},  // of the process: near the price of this turn
      {5.0, 0.6, 1.2, 1.2, 6.2},      // less than the session had cost before
      {0.6, 1.2, 1.8, 1.2, 1.8},      // of the session
      {0.6, 1.5, 2.1, 1.5, 2.1},      // of the session, with subagents
  };
  for (const auto& row : rows) {
    const auto turns = turn_with_total(row.first, kUsage) + turn_with_total(row.second, kUsage);
    const auto summary = summary_of(kSession + turns, row.known);
    EXPECT_DOUBLE_EQ(summary.cost_usd().value(), row.cost) << row.known << ' ' << row.first;
    EXPECT_DOUBLE_EQ(summary.session_total_usd(), row.session) << row.known << ' ' << row.first;
  }
}

TEST(Summary, AResumedSessionIsChargedThisRunOnly) {
  const auto summary = summary_of_fixture("session_resume_cumulative_cost");
  EXPECT_DOUBLE_EQ(summary.cost_usd().value(), 0.00014);
}

TEST(Summary, AnAgentThatOnlyKnowsTotalsIsChargedTheDifference) {
  const std::string result =
      R"({"type":"result","is_error":false,"result":"x","num_turns":1,"total_cost_usd":1.5,"usage":{"input_tokens":4,"output_tokens":2}})"
      "\n"
      R"({"type":"result","is_error":false,"result":"y","num_turns":1,"total_cost_usd":1.75,"usage":{"input_tokens":6,"output_tokens":3}})"
      "\n";
  EXPECT_DOUBLE_EQ(summary_of(result).cost_usd().value(), 1.75);
  EXPECT_DOUBLE_EQ(summary_of(result, 1.25).cost_usd().value(), 0.5);
  EXPECT_EQ(summary_of(result).usage(), (Tokens{10, 0, 0, 5, 0}));
}

TEST(Summary, TotalsOfTheSessionAreNeverAddedUp) {
  const std::string total =
      R"({"type":"result","is_error":false,"result":"x","num_turns":1,"total_cost_usd":0.5,"usage":{"input_tokens":4,"output_tokens":2},)"
      R"("modelUsage":{"claude-opus-5-5":{"inputTokens":400,"outputTokens":200,"costUSD":0.5}}})"
      "\n";
  const auto summary = summary_of(kSession + total, 0.25);
  EXPECT_DOUBLE_EQ(summary.cost_usd().value(), 0.25);
  EXPECT_EQ(summary.usage(), (Tokens{4, 0, 0, 2, 0}));
}

TEST(Summary, AFreshSessionIsChargedFromZero) {
  const std::string failed =
      R"({"type":"result","is_error":true,"result":"x","num_turns":1,"total_cost_usd":0.5})"
      "\n";
  const std::string done =
      R"({"type":"result","is_error":false,"result":"x","num_turns":1,"total_cost_usd":0.75})"
      "\n";
  const auto cost_of_both = [&](double known_total) {
    auto summary = summary_of(failed);
    summary.next_attempt(known_total);
    Decoder decoder(make_claude_dialect(), {&summary}, "run");
    decoder.feed(done, 0);
    return summary.cost_usd().value();
  };
  EXPECT_DOUBLE_EQ(cost_of_both(0), 1.25);
  EXPECT_DOUBLE_EQ(cost_of_both(0.5), 0.75);
}

}  // namespace
}  // namespace ralph::stream
