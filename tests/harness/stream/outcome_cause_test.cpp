// Which of the errors an agent reported explains its failure.
#include <gtest/gtest.h>

#include "harness/stream/judge.h"

namespace ralph::stream {
namespace {

TEST(Outcome, ARateLimitCarriesItsReset) {
  const std::string rejected =
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1794800000}})"
      "\n";
  const auto verdict = judge(rejected, {.exit_code = 1});
  EXPECT_EQ(verdict.outcome, Outcome::rate_limited);
  EXPECT_EQ(verdict.resets_at, 1794800000);
  EXPECT_NE(verdict.message().find("2026-11-16"), std::string::npos) << verdict.message();
}

TEST(Outcome, TheResetSurvivesLaterWordsAboutTheSameLimit) {
  const std::string rejected =
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1794800000}})"
      "\n";
  const std::string retry =
      R"({"type":"system","subtype":"api_retry","attempt":1,"error":"rate_limit","error_status":429})"
      "\n";
  const std::string said =
      R"({"type":"assistant","is_api_error_message":true,"error":"rate_limit","api_error_status":429,)"
      R"("message":{"content":[{"type":"text","text":"limit reached"}]}})"
      "\n";
  const std::string result =
      R"({"type":"result","is_error":true,"result":"limit reached","num_turns":1,"api_error_status":429})"
      "\n";
  for (const auto& bytes : {rejected + said + result, rejected + retry + result,
                            rejected + retry + said + result, rejected + result}) {
    const auto verdict = judge(bytes, {.exit_code = 1});
    EXPECT_EQ(verdict.outcome, Outcome::rate_limited) << bytes;
    EXPECT_EQ(verdict.resets_at, 1794800000) << bytes;
  }
  const std::string other =
      R"({"type":"assistant","is_api_error_message":true,"error":"overloaded","api_error_status":529,)"
      R"("message":{"content":[{"type":"text","text":"overloaded"}]}})"
      "\n";
  EXPECT_EQ(judge(rejected + other + said + result, {.exit_code = 1}).resets_at, std::nullopt);
}

TEST(Outcome, AResultIsClassifiedByItsStatusAlone) {
  const std::pair<int, Outcome> expected[] = {
      {401, Outcome::auth_failed},   {403, Outcome::auth_failed}, {429, Outcome::rate_limited},
      {402, Outcome::limit_reached}, {500, Outcome::agent_error}, {400, Outcome::agent_error}};
  const std::string retry =
      R"({"type":"system","subtype":"api_retry","attempt":1,"error":"overloaded","error_status":529})"
      "\n";
  for (const auto& [status, outcome] : expected) {
    const auto result =
        R"({"type":"result","is_error":true,"result":"no","num_turns":1,"api_error_status":)" +
        std::to_string(status) + "}\n";
    EXPECT_EQ(judge(result, {.exit_code = 1}).outcome, outcome) << status;
    EXPECT_EQ(judge(retry + result, {.exit_code = 1}).outcome, outcome) << status;
  }
}

TEST(Outcome, ALimitMayBeToldByTheSubtypeAlone) {
  for (const std::string subtype :
       {"error_max_turns", "error_max_budget_usd", "error_max_structured_output_retries"}) {
    const auto result =
        R"({"type":"result","is_error":false,"num_turns":1,"subtype":")" + subtype + "\"}\n";
    EXPECT_EQ(judge(result, {.exit_code = 1}).outcome, Outcome::limit_reached) << subtype;
  }
}

TEST(Outcome, ACrashAfterARetryIsACrash) {
  const std::string lines =
      R"({"type":"system","subtype":"api_retry","attempt":1,"error":"authentication_failed","error_status":401})"
      "\n"
      R"({"type":"assistant","message":{"content":[{"type":"text","text":"working"}]}})"
      "\n";
  EXPECT_EQ(judge(lines, {.signal = SIGSEGV}).outcome, Outcome::crashed);
}

}  // namespace
}  // namespace ralph::stream
