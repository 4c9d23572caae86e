#include "stream/outcome.h"

#include <csignal>
#include <set>

#include <gtest/gtest.h>

#include "support/collect.h"
#include "support/fixtures.h"

namespace ralph::stream {
namespace {

Verdict judge(std::string_view bytes, const Ending& ending) {
  Summary summary(model::Table::builtin());
  Decoder decoder(make_claude_dialect(), {&summary}, "run");
  decoder.feed(bytes, 0);
  decoder.finish(0);
  return classify(summary, ending);
}

Verdict judge_fixture(const std::string& name, const Ending& ending = {.exit_code = 0}) {
  return judge(test::fixture("claude/" + name + ".ndjson"), ending);
}

TEST(Outcome, TheTableIsWhole) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < outcome_table().size(); ++i) {
    const auto& entry = outcome_table()[i];
    EXPECT_EQ(static_cast<std::size_t>(entry.outcome), i);
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.meaning.empty());
    EXPECT_EQ(outcome_named(entry.name), entry.outcome);
    EXPECT_EQ(entry.exit_code == 0, entry.status == Status::success) << entry.name;
  }
  EXPECT_EQ(outcome_named("nonsense"), std::nullopt);
}

TEST(Outcome, ExitCodesAreThePromisedOnes) {
  const std::pair<Outcome, int> promised[] = {{Outcome::ok, 0},
                                              {Outcome::degraded, 0},
                                              {Outcome::agent_error, 1},
                                              {Outcome::no_result, 1},
                                              {Outcome::no_output, 1},
                                              {Outcome::crashed, 1},
                                              {Outcome::bad_usage, 2},
                                              {Outcome::bad_config, 2},
                                              {Outcome::not_installed, 3},
                                              {Outcome::auth_failed, 3},
                                              {Outcome::permission_denied, 4},
                                              {Outcome::rate_limited, 5},
                                              {Outcome::limit_reached, 6},
                                              {Outcome::timed_out, 7},
                                              {Outcome::storage_failed, 8},
                                              {Outcome::locked, 9}};
  for (const auto& [outcome, code] : promised)
    EXPECT_EQ(row(outcome).exit_code, code) << row(outcome).name;
}

TEST(Outcome, AGoodRunIsOk) {
  EXPECT_EQ(judge_fixture("text_turn").outcome, Outcome::ok);
  EXPECT_EQ(judge_fixture("schema_ok").outcome, Outcome::ok);
  EXPECT_EQ(judge_fixture("tool_bash_background").outcome, Outcome::ok);
  EXPECT_EQ(judge_fixture("error_429_then_ok").outcome, Outcome::ok);
}

TEST(Outcome, AFailureReportedAsSuccessIsAFailure) {
  EXPECT_EQ(judge_fixture("error_400").outcome, Outcome::agent_error);
  EXPECT_EQ(judge_fixture("error_401_retries").outcome, Outcome::auth_failed);
  EXPECT_EQ(judge_fixture("error_not_logged_in").outcome, Outcome::auth_failed);
  EXPECT_EQ(judge_fixture("error_429_retry_after_long").outcome, Outcome::rate_limited);
  EXPECT_EQ(judge_fixture("error_529_exhausted").outcome, Outcome::agent_error);
  EXPECT_EQ(judge_fixture("limit_max_turns").outcome, Outcome::limit_reached);
  EXPECT_EQ(judge_fixture("limit_budget").outcome, Outcome::limit_reached);
  EXPECT_EQ(judge_fixture("error_resume_missing").outcome, Outcome::agent_error);
  EXPECT_EQ(judge_fixture("interrupt_sigint_stream").outcome, Outcome::agent_error);
}

TEST(Outcome, DenialsNameTheTools) {
  const auto verdict = judge_fixture("permission_denied");
  EXPECT_EQ(verdict.outcome, Outcome::permission_denied);
  EXPECT_NE(verdict.message().find("Write"), std::string::npos) << verdict.message();
}

TEST(Outcome, WithoutAResultItDependsOnHowTheAgentWent) {
  EXPECT_EQ(judge("", {.exit_code = 0}).outcome, Outcome::no_output);
  EXPECT_EQ(judge("", {.exit_code = 1}).outcome, Outcome::crashed);
  const auto killed = judge_fixture("interrupt_sigterm_tool", {.signal = SIGKILL});
  EXPECT_EQ(killed.outcome, Outcome::crashed);
  EXPECT_NE(killed.detail.find("signal 9"), std::string::npos) << killed.detail;
  EXPECT_EQ(judge_fixture("interrupt_sigterm_tool").outcome, Outcome::no_result);
}

TEST(Outcome, ALimitOfOursIsATimeoutUnlessTheAgentWasDone) {
  const auto timed_out =
      judge_fixture("interrupt_sigterm_tool", {.signal = SIGTERM, .limit = "wall"});
  EXPECT_EQ(timed_out.outcome, Outcome::timed_out);
  EXPECT_NE(timed_out.message().find("wall"), std::string::npos);
  EXPECT_EQ(judge_fixture("text_turn", {.signal = SIGKILL, .limit = "after_end"}).outcome,
            Outcome::ok);
  EXPECT_EQ(judge_fixture("text_turn", {.signal = SIGKILL, .limit = "wall"}).outcome, Outcome::ok);
}

TEST(Outcome, AFollowUpTurnCutAfterTheEndKeepsTheResult) {
  auto bytes = test::fixture("claude/text_turn.ndjson");
  bytes += bytes.substr(0, bytes.find('\n') + 1);
  EXPECT_EQ(judge(bytes, {.signal = SIGKILL, .limit = "after_end"}).outcome, Outcome::ok);
  EXPECT_EQ(judge(bytes, {.signal = SIGKILL, .limit = "wall"}).outcome, Outcome::timed_out);
}

TEST(Outcome, ABadExitAfterAGoodResultIsDegraded) {
  EXPECT_EQ(judge_fixture("text_turn", {.exit_code = 1}).outcome, Outcome::degraded);
  EXPECT_EQ(judge_fixture("text_turn", {.signal = SIGSEGV}).outcome, Outcome::degraded);
}

TEST(Outcome, AnEmptyResultFallsBackToTheStreamedText) {
  const std::string said =
      R"({"type":"assistant","message":{"content":[{"type":"text","text":"words"}]}})"
      "\n";
  const std::string empty = R"({"type":"result","is_error":false,"result":"","num_turns":1})"
                            "\n";
  EXPECT_EQ(judge(said + empty, {.exit_code = 0}).outcome, Outcome::degraded);
  EXPECT_EQ(judge(empty, {.exit_code = 0}).outcome, Outcome::no_output);
}

TEST(Outcome, APromptThatNeverReachedTheModelIsNoSuccess) {
  const auto verdict = judge_fixture("hook_blocks_prompt");
  EXPECT_EQ(verdict.outcome, Outcome::agent_error);
  EXPECT_EQ(verdict.detail, "the prompt never reached the model");
}

TEST(Outcome, CancelledExitsWithTheSignal) {
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    EXPECT_EQ(judge_fixture("text_turn", {.cancelled_by = signal}).exit_code(), 128 + signal);
  }
}

TEST(Outcome, StorageFailureBeatsEverything) {
  const auto verdict = judge_fixture(
      "text_turn",
      {.cancelled_by = SIGINT, .storage_error = Error{Code::storage, "disk full", ""}});
  EXPECT_EQ(verdict.outcome, Outcome::storage_failed);
  EXPECT_NE(verdict.message().find("disk full"), std::string::npos);
}

TEST(Outcome, TheResultEventCarriesTheNumbers) {
  Summary summary(model::Table::builtin());
  Decoder decoder(make_claude_dialect(), {&summary}, "run");
  decoder.feed(test::fixture("claude/text_turn.ndjson"), 0);
  const Ending ending{.exit_code = 0, .skipped_lines = 2};
  const auto verdict = classify(summary, ending);
  const auto texts = result_texts(summary, verdict);
  const auto result = make_result(summary, ending, verdict, texts);
  EXPECT_EQ(result.status, Status::success);
  EXPECT_EQ(result.outcome, "ok");
  EXPECT_EQ(result.text, "Hello from the fake.");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.skipped_lines, 2);
  EXPECT_EQ(result.turns, 1);
}

TEST(Outcome, ARateLimitCarriesItsReset) {
  const std::string rejected =
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1794800000}})"
      "\n";
  const auto verdict = judge(rejected, {.exit_code = 1});
  EXPECT_EQ(verdict.outcome, Outcome::rate_limited);
  EXPECT_EQ(verdict.resets_at, 1794800000);
  EXPECT_NE(verdict.message().find("2026-11-16"), std::string::npos) << verdict.message();
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
