// The Claude dialect: results, errors and retries.
#include <gtest/gtest.h>

#include "harness/stream/claude_lines.h"
#include "support/fixtures.h"

namespace ralph::stream {
namespace {

TEST(ClaudeDialect, RetriesCarryAttemptDelayAndClass) {
  const auto retries = only<Retry>(test::fixture("claude/error_401_retries.ndjson"));
  ASSERT_GT(retries->events.size(), 3u);
  EXPECT_EQ(retries->at(0).attempt, 1);
  EXPECT_EQ(retries->at(0).max, 10);
  EXPECT_EQ(retries->at(0).delay_ms, 601);
  EXPECT_EQ(retries->at(0).http_status, 401);
  EXPECT_EQ(retries->at(0).error_class, ErrorClass::auth);
}

struct ErrorCase {
  const char* fixture;
  ErrorClass error_class;
};
TEST(ClaudeDialect, ApiFailuresBecomeErrorsOfTheirClass) {
  const ErrorCase cases[] = {
      {"error_400", ErrorClass::invalid_request},
      {"error_401_retries", ErrorClass::auth},
      {"error_403", ErrorClass::auth},
      {"error_404_model", ErrorClass::invalid_request},
      {"error_429_retry_after_long", ErrorClass::rate_limit},
      {"error_529_exhausted", ErrorClass::overloaded},
      {"error_not_logged_in", ErrorClass::auth},
      {"error_refused", ErrorClass::network},
  };
  for (const auto& [name, error_class] : cases) {
    const auto bytes = test::fixture(std::string("claude/") + name + ".ndjson");
    const auto errors = only<ErrorEvent>(bytes);
    ASSERT_EQ(errors->events.size(), 1u) << name;
    EXPECT_EQ(errors->at(0).error_class, error_class)
        << name << " is " << to_string(errors->at(0).error_class);
    EXPECT_FALSE(errors->at(0).message.empty()) << name;
    const auto ends = only<TurnEnded>(bytes);
    EXPECT_TRUE(ends->at(0).is_error) << name;
    EXPECT_TRUE(ends->at(0).text.empty()) << name;
    EXPECT_FALSE(ends->at(0).error.empty()) << name;
  }
}

TEST(ClaudeDialect, ResultsCarryWhatTheAgentSays) {
  const auto ends = only<TurnEnded>(test::fixture("claude/schema_ok.ndjson"));
  ASSERT_EQ(ends->events.size(), 1u);
  const auto& end = ends->at(0);
  EXPECT_FALSE(end.is_error);
  EXPECT_EQ(end.reason, "completed");
  EXPECT_TRUE(end.structured.text.starts_with("{\""));
  EXPECT_EQ(end.session_id, "00000000-0000-4000-8000-000000000001");
  EXPECT_GT(end.total_cost_usd.value_or(0), 0);
  EXPECT_GT(end.turns, 0);
  EXPECT_TRUE(end.denials.text.empty());
}

TEST(ClaudeDialect, SeveralResultsInOneRunAreSeveralTurnEnds) {
  const auto ends = only<TurnEnded>(test::fixture("claude/tool_bash_background.ndjson"));
  ASSERT_EQ(ends->events.size(), 2u);
  EXPECT_EQ(ends->at(0).origin, "");
  EXPECT_EQ(ends->at(1).origin, "task-notification");
}

TEST(ClaudeDialect, LimitsEndTheTurnWithTheirReason) {
  EXPECT_EQ(only<TurnEnded>(test::fixture("claude/limit_max_turns.ndjson"))->at(0).reason,
            "max_turns");
  const auto budget = only<TurnEnded>(test::fixture("claude/limit_budget.ndjson"));
  EXPECT_EQ(budget->at(0).reason, "budget_exhausted");
  EXPECT_TRUE(budget->at(0).error.starts_with("Reached maximum budget")) << budget->at(0).error;
}

TEST(ClaudeDialect, AnInterruptedTurnSaysSoInWords) {
  const auto ends = only<TurnEnded>(test::fixture("claude/interrupt_sigint_stream.ndjson"));
  EXPECT_TRUE(ends->at(0).is_error);
  EXPECT_EQ(ends->at(0).error, "the agent was interrupted");
}

TEST(ClaudeDialect, ARejectedRateLimitIsAnErrorWithItsReset) {
  const auto errors = only<ErrorEvent>(
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1794800000,"rateLimitType":"five_hour"}})");
  ASSERT_EQ(errors->events.size(), 1u);
  EXPECT_EQ(errors->at(0).error_class, ErrorClass::rate_limit);
  EXPECT_EQ(errors->at(0).resets_at, 1794800000);
  EXPECT_NE(errors->at(0).message.find("2026-11-16T"), std::string_view::npos)
      << errors->at(0).message;
}

TEST(ClaudeDialect, EndsAreKnownByTheirWord) {
  const auto end_of = [](std::string_view reason) {
    const auto line =
        R"({"type":"result","is_error":true,"terminal_reason":")" + std::string(reason) + "\"}\n";
    return only<TurnEnded>(line)->at(0).end;
  };
  EXPECT_EQ(end_of("max_turns"), TurnEndReason::max_turns);
  EXPECT_EQ(end_of("budget_exhausted"), TurnEndReason::cost_limit);
  EXPECT_EQ(end_of("prompt_too_long"), TurnEndReason::context_full);
  EXPECT_EQ(end_of("rapid_refill_breaker"), TurnEndReason::context_full);
  EXPECT_EQ(end_of("api_error"), TurnEndReason::other);
}

TEST(ClaudeDialect, DeniedCallsOfAResultHaveOurNames) {
  const auto ends = only<TurnEnded>(
      R"({"type":"result","permission_denials":[{"tool_name":"Write","tool_use_id":"t1","tool_input":{"a":[1]}},{"tool_name":"Bash"}]})"
      "\n");
  EXPECT_EQ(ends->at(0).denials.text,
            R"([{"tool":"Write","call_id":"t1","input":{"a":[1]}},{"tool":"Bash","call_id":""}])");
}

TEST(ClaudeDialect, AMessageMaySayWhatToDo) {
  const auto error_of = [](std::string_view message) {
    const auto line = R"({"type":"assistant","is_api_error_message":true,"message":{"content":")" +
                      std::string(message) + "\"}}\n";
    return only<ErrorEvent>(line)->at(0).says_remedy;
  };
  EXPECT_TRUE(error_of("Not logged in · Please run /login"));
  EXPECT_FALSE(error_of("Not logged in"));
}

TEST(ClaudeDialect, AnErrorSubtypeIsAnErrorWhateverTheFlagSays) {
  EXPECT_TRUE(
      only<TurnEnded>(R"({"type":"result","subtype":"error_during_execution","errors":["boom"]})")
          ->at(0)
          .is_error);
}

}  // namespace
}  // namespace ralph::stream
