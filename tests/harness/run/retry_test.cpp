#include "harness/run/retry.h"

#include "harness/run/harness.h"

namespace ralph::run {
namespace {

using config::Key;
using stream::ErrorClass;
using stream::Outcome;

std::optional<Millis> pause(Outcome outcome, std::optional<ErrorClass> error = {}, int attempt = 1,
                            std::optional<std::int64_t> resets_at = {}) {
  stream::Summary summary(model::Table::builtin());
  if (error) summary.error = stream::Summary::LastError{*error, "", {}, {}};
  stream::Verdict verdict;
  verdict.outcome = outcome;
  verdict.resets_at = resets_at;
  return pause_before_retry(verdict, summary, attempt, {3, Millis{1000}},
                            UtcTime(std::chrono::seconds(1'000'000)));
}

TEST(RetryPolicy, CrashesAndMissingResultsAreTriedAgainSoon) {
  for (const auto outcome : {Outcome::crashed, Outcome::no_result, Outcome::no_output}) {
    EXPECT_EQ(pause(outcome), Millis{1000});
    EXPECT_EQ(pause(outcome, {}, 2), Millis{2000});
  }
}

TEST(RetryPolicy, OutagesAreWaitedFor) {
  EXPECT_EQ(pause(Outcome::agent_error, ErrorClass::network), Millis{10'000});
  EXPECT_EQ(pause(Outcome::agent_error, ErrorClass::overloaded), Millis{30'000});
  EXPECT_EQ(pause(Outcome::rate_limited, ErrorClass::rate_limit), Millis{60'000});
}

TEST(RetryPolicy, ARateLimitIsWaitedForUntilItsReset) {
  EXPECT_EQ(pause(Outcome::rate_limited, {}, 1, 1'000'060), Millis{62'000});
  EXPECT_EQ(pause(Outcome::rate_limited, {}, 1, 999'000), Millis{0});
  EXPECT_EQ(pause(Outcome::rate_limited, {}, 1, 9'000'000'000'000'000'000), Millis{60'000});
  EXPECT_EQ(pause(Outcome::rate_limited, {}, 1, -5), Millis{60'000});
}

TEST(RetryPolicy, EverythingElseIsFinal) {
  for (int i = 0; i <= static_cast<int>(Outcome::cancelled); ++i) {
    const auto& row = stream::row(static_cast<Outcome>(i));
    if (row.outcome == Outcome::crashed || row.outcome == Outcome::no_result ||
        row.outcome == Outcome::no_output || row.outcome == Outcome::rate_limited) {
      continue;
    }
    EXPECT_FALSE(pause(row.outcome)) << row.name;
    EXPECT_FALSE(pause(row.outcome, ErrorClass::invalid_request)) << row.name;
  }
}

TEST(RetryPolicy, TheNumberOfRetriesIsAPromise) {
  EXPECT_TRUE(pause(Outcome::crashed, {}, 3));
  EXPECT_FALSE(pause(Outcome::crashed, {}, 4));
}

/// Crashes the first time, answers the second.
const std::string kCrashOnce =
    "once DIR/crashed\n" + init_line() + text_line("Try") + "signal 11\nend-once\n" + good_turn();

TEST(Retry, ACrashedAgentIsStartedAgainOnce) {
  Bench bench;
  bench.script(kCrashOnce);
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "ok");
  EXPECT_TRUE(ran.result().contains("\"attempts\":2"));
  EXPECT_TRUE(ran.has("\"topic\":\"retry\""));
  EXPECT_TRUE(bench.journal(ran).contains(R"("outcome":"crashed")"));
  EXPECT_TRUE(ran.result().contains("\"cost_usd\":0.25"));
}

TEST(Retry, AnAgentThatWasInterruptedIsNotStartedAgain) {
  for (const auto* end : {"exit 130\n", "signal 2\n"}) {
    Bench bench;
    bench.script(init_line() + text_line("Working") + end);
    const auto ran = bench.run();
    EXPECT_EQ(ran.outcome(), "cancelled");
    EXPECT_EQ(ran.report.verdict.exit_code(), 130);
    EXPECT_TRUE(ran.result().contains("\"attempts\":1")) << ran.result();
  }
}

TEST(Retry, ZeroRetriesMeansOneAttempt) {
  Bench bench;
  bench.flag(Key::retries, {"0"});
  bench.script(kCrashOnce);
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "crashed");
  EXPECT_TRUE(ran.report.verdict.message().contains("signal 11"));
}

TEST(Retry, AnErrorOfTheAgentIsFinal) {
  Bench bench;
  bench.script("file " RALPH_FIXTURES "/claude/error_400.ndjson\nexit 1\n");
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "agent_error");
  EXPECT_TRUE(ran.result().contains("\"attempts\":1"));
}

TEST(Retry, AnOverloadedServiceIsWaitedFor) {
  Bench bench;
  bench.script("once DIR/seen\nfile " RALPH_FIXTURES
               "/claude/error_529_exhausted.ndjson\nexit 1\nend-once\n" +
               good_turn());
  EXPECT_EQ(bench.run().outcome(), "ok");
}

TEST(Retry, ARateLimitThatResetsAfterTheTimeoutIsNotWaitedFor) {
  Bench bench;
  bench.flag(Key::timeout, {"1h"});
  bench.script(
      init_line() +
      R"(line {"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":4000000000}})"
      "\nexit 1\n");
  const auto ran = bench.run();
  EXPECT_EQ(ran.outcome(), "rate_limited");
  EXPECT_EQ(ran.report.verdict.exit_code(), 5);
  EXPECT_EQ(ran.report.verdict.resets_at, 4000000000);
}

}  // namespace
}  // namespace ralph::run
