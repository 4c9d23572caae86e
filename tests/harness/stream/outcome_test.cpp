#include "harness/stream/outcome.h"

#include <csignal>
#include <set>

#include <gtest/gtest.h>

#include "harness/stream/judge.h"

namespace ralph::stream {
namespace {

constexpr TimeLimitReached kRunLimit{TimeLimit::run, Millis{60'000}};
constexpr TimeLimitReached kIdleLimit{TimeLimit::idle, Millis{3'000}};
constexpr TimeLimitReached kExitLimit{TimeLimit::exit, Millis{5'000}};
constexpr CostLimitReached kCostLimit{2, 1};

/// A session whose agent began once more after its last result.
std::string with_further_turn(const std::string& name) {
  const auto bytes = test::fixture("claude/" + name + ".ndjson");
  const auto init = bytes.find(R"("subtype":"init")");
  const auto begin = bytes.rfind('\n', init) + 1;
  return bytes + bytes.substr(begin, bytes.find('\n', init) + 1 - begin);
}

TEST(Outcome, TheTableIsWhole) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Outcome::cancelled); ++i) {
    const auto& entry = row(static_cast<Outcome>(i));
    EXPECT_EQ(static_cast<int>(entry.outcome), i);
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
                                              {Outcome::read_failed, 1},
                                              {Outcome::not_started, 1},
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

const std::string kDeniedResult =
    R"({"type":"user","tool_result_meta":[{"id":"t1","permission_decision":{"decision":"reject"}}],)"
    R"("message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no"}]}})"
    "\n";

TEST(Outcome, ADenialWithoutAResultCountsUnlessDenialsAreAllowed) {
  EXPECT_EQ(judge(kDeniedResult, {.exit_code = 1}).outcome, Outcome::permission_denied);
  EXPECT_EQ(judge(kDeniedResult, {.exit_code = 1, .denials_allowed = true}).outcome,
            Outcome::crashed);
  EXPECT_EQ(judge(kDeniedResult, {.exit_code = 0, .denials_allowed = true}).outcome,
            Outcome::no_result);
}

TEST(Outcome, ADenialExplainsAnErrorThatNothingElseExplains) {
  const std::string interrupted =
      R"({"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":1})"
      "\n";
  const std::string refused =
      R"({"type":"result","is_error":true,"result":"bad key","num_turns":1,"api_error_status":401})"
      "\n";
  EXPECT_EQ(judge(kDeniedResult + interrupted, {.exit_code = 1}).outcome,
            Outcome::permission_denied);
  EXPECT_EQ(judge(kDeniedResult + interrupted, {.exit_code = 1, .denials_allowed = true}).outcome,
            Outcome::agent_error);
  EXPECT_EQ(judge(kDeniedResult + refused, {.exit_code = 1}).outcome, Outcome::auth_failed);
}

TEST(Outcome, NoticesOfTheHarnessAreNoOutputOfTheAgent) {
  Summary summary(model::Table::builtin());
  Decoder decoder(make_claude_dialect(), {&summary}, "run");
  decoder.publish(Notice{Level::info, "raw_log", "raw log x.ndjson", {}}, 0);
  decoder.finish(0);
  EXPECT_EQ(classify(summary, {.exit_code = 0}).outcome, Outcome::no_output);
}

TEST(Outcome, AnAgentThatWasInterruptedItselfIsStopped) {
  for (const auto& end : {ProcessEnd{.exit_code = 130}, ProcessEnd{.signal = SIGINT}}) {
    const auto stopped = judge("", end);
    EXPECT_EQ(stopped.outcome, Outcome::cancelled);
    EXPECT_EQ(stopped.exit_code(), 130);
    EXPECT_TRUE(stopped.message().contains("the agent was interrupted")) << stopped.message();
  }
  EXPECT_EQ(judge_fixture("text_turn", {.exit_code = 130}).outcome, Outcome::degraded)
      << "it had answered";
  EXPECT_EQ(judge("", {.exit_code = 143}).outcome, Outcome::crashed) << "something killed it";
}

TEST(Outcome, OutputThatCannotBeReadIsAFailureWhateverCameBefore) {
  const Error error{Code::unavailable, "cannot read the program's stdout: Input/output error", ""};
  const auto failed = judge_fixture("text_turn", {.exit_code = 0, .read_error = error});
  EXPECT_EQ(failed.outcome, Outcome::read_failed);
  EXPECT_TRUE(failed.message().contains("stdout: Input/output error")) << failed.message();
}

TEST(Outcome, WithoutAResultItDependsOnHowTheAgentWent) {
  EXPECT_EQ(judge("", {.exit_code = 0}).outcome, Outcome::no_output);
  EXPECT_EQ(judge("", {.exit_code = 1}).outcome, Outcome::crashed);
  const auto killed = judge_fixture("interrupt_sigterm_tool", {.signal = SIGKILL});
  EXPECT_EQ(killed.outcome, Outcome::crashed);
  EXPECT_NE(killed.detail.find("signal 9"), std::string::npos) << killed.detail;
  EXPECT_EQ(judge_fixture("interrupt_sigterm_tool").outcome, Outcome::no_result);
}

TEST(Outcome, AnAgentThatRefusesItsCommandLineDidNotCrash) {
  const auto refused = judge("", {.exit_code = 1,
                                  .refusal = StartRefusal::command_line,
                                  .stderr_line = "error: unknown option '--frob'"});
  EXPECT_EQ(refused.outcome, Outcome::bad_usage);
  EXPECT_EQ(refused.message(),
            "invalid command line: the agent reported: error: unknown option '--frob'");
  EXPECT_EQ(judge("", {.exit_code = 1, .stderr_line = "Error: out of memory"}).outcome,
            Outcome::crashed);
  EXPECT_EQ(judge("", {.signal = SIGSEGV, .refusal = StartRefusal::command_line}).outcome,
            Outcome::crashed);
  EXPECT_EQ(judge("", {.exit_code = 0, .refusal = StartRefusal::command_line}).outcome,
            Outcome::no_output);
  EXPECT_EQ(judge_fixture("interrupt_sigterm_tool",
                          {.exit_code = 1, .refusal = StartRefusal::command_line})
                .outcome,
            Outcome::crashed)
      << "it had started";
}

TEST(Outcome, ALimitOfOursIsATimeoutUnlessTheAgentWasDone) {
  const auto timed_out =
      judge_fixture("interrupt_sigterm_tool", {.signal = SIGTERM, .time_limit = kRunLimit});
  EXPECT_EQ(timed_out.outcome, Outcome::timed_out);
  EXPECT_EQ(timed_out.message(), "not finished after 1m (--timeout); agent stopped");
  EXPECT_EQ(judge_fixture("text_turn", {.signal = SIGKILL, .time_limit = kExitLimit}).outcome,
            Outcome::ok);
  EXPECT_EQ(judge_fixture("text_turn", {.signal = SIGKILL, .time_limit = kRunLimit}).outcome,
            Outcome::ok);
}

TEST(Outcome, AFollowUpTurnCutAfterTheEndKeepsTheResult) {
  const auto bytes = with_further_turn("text_turn");
  EXPECT_EQ(judge(bytes, {.signal = SIGKILL, .time_limit = kExitLimit}).outcome, Outcome::ok);
  EXPECT_EQ(judge(bytes, {.signal = SIGKILL, .time_limit = kRunLimit}).outcome, Outcome::timed_out);
}

TEST(Outcome, AFollowUpTurnThatDoesNotEndDegradesTheResult) {
  const auto bytes = with_further_turn("text_turn");
  const auto failed = judge(bytes, {.exit_code = 1});
  EXPECT_EQ(failed.outcome, Outcome::degraded);
  EXPECT_EQ(failed.detail, "a later turn did not end (exit code 1)");
  EXPECT_EQ(judge(bytes, {.exit_code = 0}).outcome, Outcome::degraded);
  const auto killed = judge(bytes, {.signal = SIGSEGV});
  EXPECT_EQ(killed.outcome, Outcome::degraded);
  EXPECT_NE(killed.detail.find("signal 11"), std::string::npos) << killed.detail;
  EXPECT_EQ(judge(bytes, {}).detail, "a later turn did not end");
}

TEST(Outcome, AFollowUpTurnThatDoesNotEndSaysWhatWentWrong) {
  const std::string rejected =
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"rejected"}})"
      "\n";
  const auto verdict = judge(with_further_turn("text_turn") + rejected, {.exit_code = 1});
  EXPECT_EQ(verdict.outcome, Outcome::degraded);
  EXPECT_EQ(verdict.detail, "a later turn did not end (exit code 1): rate limit rejected");
}

TEST(Outcome, AFollowUpTurnThatDoesNotEndExcusesNoError) {
  EXPECT_EQ(judge(with_further_turn("error_400"), {.exit_code = 1}).outcome, Outcome::agent_error);
  EXPECT_EQ(judge(with_further_turn("limit_max_turns"), {.signal = SIGKILL}).outcome,
            Outcome::limit_reached);
  EXPECT_EQ(judge(with_further_turn("permission_denied"), {.exit_code = 1}).outcome,
            Outcome::permission_denied);
  const auto bytes = with_further_turn("text_turn");
  EXPECT_EQ(judge(bytes, {.signal = SIGKILL, .time_limit = kIdleLimit}).outcome,
            Outcome::timed_out);
  EXPECT_EQ(judge(bytes, {.signal = SIGKILL, .cost_limit = kCostLimit}).outcome,
            Outcome::limit_reached);
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
  EXPECT_EQ(verdict.detail, "the prompt did not reach the model");
}

TEST(Outcome, CancelledExitsWithTheSignal) {
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    EXPECT_EQ(judge_fixture("interrupt_sigterm_tool", {.cancelled_by = signal}).exit_code(),
              128 + signal);
  }
}

TEST(Outcome, AStopAfterAGoodResultChangesNothing) {
  const ProcessEnd stopped{.signal = SIGTERM, .cancelled_by = SIGINT};
  EXPECT_EQ(judge_fixture("text_turn", stopped).outcome, Outcome::ok);
  EXPECT_EQ(judge_fixture("permission_denied", stopped).outcome, Outcome::permission_denied);
  EXPECT_EQ(judge_fixture("error_400", stopped).outcome, Outcome::cancelled);
  EXPECT_EQ(judge("", stopped).outcome, Outcome::cancelled);
  EXPECT_EQ(judge(with_further_turn("text_turn"), stopped).outcome, Outcome::cancelled);
  const std::string empty = R"({"type":"result","is_error":false,"result":"","num_turns":1})"
                            "\n";
  EXPECT_EQ(judge(empty, stopped).outcome, Outcome::cancelled);
}

TEST(Outcome, AStopForItsCostAfterAGoodResultIsNoFlaw) {
  EXPECT_EQ(judge_fixture("text_turn", {.signal = SIGTERM, .cost_limit = kCostLimit}).outcome,
            Outcome::ok);
}

TEST(Outcome, ACostThatCannotBeCountedIsAMistakeInTheConfiguration) {
  const auto stopped = judge("", {.signal = SIGTERM, .unpriced_model = "gpt-5"});
  EXPECT_EQ(stopped.outcome, Outcome::bad_config);
  EXPECT_TRUE(stopped.message().contains("'gpt-5'")) << stopped.message();
  EXPECT_TRUE(stopped.message().contains("--model-price")) << stopped.message();
}

TEST(Outcome, AnAgentThatRefusesItsSettingsDidNotCrash) {
  const auto refused = judge("", {.exit_code = 1, .refusal = StartRefusal::settings});
  EXPECT_EQ(refused.outcome, Outcome::bad_config);
}

TEST(Outcome, TheAgentsOwnRemedyIsTheOnlyOne) {
  const auto own =
      judge("", {.credential_rejected = {{"Not logged in · Please run /login", {}, true}},
                 .auth_hint = "log in"});
  EXPECT_EQ(own.message(), "authentication failed: Not logged in · Please run /login");
  const auto without = judge("", {.credential_rejected = {{"no login", {}}}});
  EXPECT_TRUE(without.message().ends_with("(check the API key, or log in with the agent)"));
  const auto hinted = judge("", {.credential_rejected = {{"no login", {}}}, .auth_hint = "log in"});
  EXPECT_EQ(hinted.message(), "authentication failed: no login (log in)");
}

TEST(Outcome, ARejectedKeyIsNamedByItsSource) {
  const auto rejected = judge("", {.credential_rejected = {{"authentication_failed", 401}},
                                   .key_source = "SOME_KEY",
                                   .auth_hint = "log in"});
  EXPECT_EQ(rejected.outcome, Outcome::auth_failed);
  EXPECT_EQ(rejected.message(), "API key rejected (SOME_KEY, HTTP 401; log in)");
  const auto forbidden =
      judge("", {.credential_rejected = {{"no access", 403}}, .key_source = "SOME_KEY"});
  EXPECT_TRUE(forbidden.message().starts_with("authentication failed: no access"));
}

TEST(Outcome, MessagesNameTheLimit) {
  const auto message = [](const ProcessEnd& end) { return judge("", end).message(); };
  EXPECT_EQ(message({.time_limit = kIdleLimit}),
            "no output for 3s (--idle-timeout); agent stopped");
  EXPECT_EQ(message({.time_limit = TimeLimitReached{TimeLimit::loop, Millis{1'000}}}),
            "not finished after 1s (--max-time); agent stopped");
  EXPECT_EQ(message({.cost_limit = kCostLimit}),
            "cost limit reached: $2.0000 of $1.0000 (raise the limit or continue the session)");
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
  const ProcessEnd end{.exit_code = 0, .skipped_lines = 2};
  const auto verdict = classify(summary, end);
  const auto texts = result_texts(summary, verdict);
  const auto result = make_result(summary, end, verdict, texts);
  EXPECT_EQ(result.status, Status::success);
  EXPECT_EQ(result.outcome, "ok");
  EXPECT_EQ(result.text, "Hello from the fake.");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.skipped_lines, 2);
  EXPECT_EQ(result.turns, 1);
}

TEST(Outcome, AnErrorThatOurOwnLimitProvokedIsTheLimit) {
  const auto interrupted = test::fixture("claude/interrupt_sigint_tool.ndjson");
  EXPECT_EQ(judge(interrupted, {.exit_code = 0, .time_limit = kRunLimit}).outcome,
            Outcome::timed_out);
  EXPECT_EQ(judge(interrupted, {.exit_code = 0, .cost_limit = kCostLimit}).outcome,
            Outcome::limit_reached);
  EXPECT_EQ(judge(interrupted, {.exit_code = 0, .time_limit = kExitLimit}).outcome,
            Outcome::agent_error);
}

}  // namespace
}  // namespace ralph::stream
