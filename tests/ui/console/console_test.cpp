#include "ui/console/console.h"

#include <gtest/gtest.h>

#include "core/model/model.h"
#include "harness/stream/decoder.h"
#include "ui/console/fake_output.h"

namespace ralph::console {
namespace {

using namespace stream;

/// A console fed with events, or with lines as Claude prints them.
class ConsoleTest : public testing::Test {
 protected:
  void use(ConsoleOptions options) {
    options.agent_name = "Claude";
    console_ = std::make_unique<Console>(options, masker_, summary_, output_);
  }
  void use(Verbosity verbosity) { use(ConsoleOptions{.verbosity = verbosity, .agent_name = {}}); }
  void show(const Payload& payload, std::string_view parent = {}) {
    if (!console_) use(Verbosity::normal);
    const Event event{1, 0, "claude", "run", 1, parent, payload};
    dispatch(event, summary_);
    dispatch(event, *console_);
  }
  void feed(std::string_view lines) {
    if (!console_) use(Verbosity::normal);
    Decoder decoder(make_claude_dialect(), {&summary_, console_.get()}, "run");
    for (const char byte : lines) decoder.feed({&byte, 1}, 0);
    decoder.finish(0);
  }
  std::string take_out() { return std::exchange(output_.stdout_text, {}); }
  std::string take_err() { return std::exchange(output_.stderr_text, {}); }

  Masker masker_{{"MY_TOKEN=correct-horse"}};
  Summary summary_{model::Table::builtin()};
  FakeOutput output_;
  std::unique_ptr<Console> console_;
};

constexpr std::string_view kSession =
    R"({"type":"system","subtype":"init","cwd":"/w","session_id":"s","tools":[],"model":"m"})"
    "\n"
    R"({"type":"assistant","message":{"id":"1","content":[{"type":"text","text":"Hello"},)"
    R"({"type":"tool_use","id":"t","name":"Read","input":{"file_path":"src/main.rs"}}]}})"
    "\n"
    R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"fn"}]}})"
    "\n"
    R"({"type":"result","subtype":"success","is_error":false,"result":"Hello","duration_ms":5,)"
    R"("num_turns":1,"total_cost_usd":0.25,"usage":{"input_tokens":1,"output_tokens":2},"session_id":"s"})"
    "\n";

TEST_F(ConsoleTest, EventDispatch_EachEventHasItsLine) {
  use(Verbosity::verbose);
  show(SessionStarted{"abc", "m-1", {}, {}, {}, {}, false});
  EXPECT_EQ(take_out(), "[Notice] session abc, model m-1\n");
  show(Text{"I'll start by reading the file...", false, true, {}});
  EXPECT_EQ(take_out(), "Claude: I'll start by reading the file...\n");
  show(Thinking{"step\nby step", false});
  EXPECT_EQ(take_out(), "[Thinking] step by step\n");
  show(ToolCall{"1", "Read", ToolKind::read, "src/main.rs", {}});
  EXPECT_EQ(take_out(), "[Tool] Read: src/main.rs\n");
  show(ToolCall{"1", "Mystery", ToolKind::other, "", {}});
  EXPECT_EQ(take_out(), "[Tool] Mystery\n");
  show(ToolResult{"1", "Read", true, {}, "1 file\nread", false});
  EXPECT_EQ(take_out(), "[Result] 1 file read\n");
  show(ToolResult{"1", "Read", true, {}, "", false});
  EXPECT_EQ(take_out(), "[Result] (no output)\n");
  show(Notice{Level::info, "compaction", "compacting", {}});
  EXPECT_EQ(take_out(), "[Notice] compacting\n");
  show(Unknown{"brand_new", {}});
  EXPECT_EQ(take_out(), "[Unknown] brand_new\n");
  TurnEnded turn;
  turn.usage = {1, 2, 3, 4, 0};
  show(turn);
  EXPECT_EQ(take_out(), "[Usage] in 1 | out 4 | cache read 2 | cache write 3\n");
  EXPECT_EQ(take_err(), "");
}

TEST_F(ConsoleTest, EventDispatch_NeverShown) {
  use(Verbosity::verbose);
  show(TurnStarted{1});
  show(Text{"piece", true, false, {}});
  show(Text{" \n", false, true, {}});
  show(Thinking{"piece", true});
  show(Thinking{"", false});
  show(ToolOutput{"1", "progress", "running for 3 s"});
  show(Usage{});
  show(Notice{Level::debug, "hook", "started", {}});
  EXPECT_EQ(take_out() + take_err(), "");
}

TEST_F(ConsoleTest, MockClaudeOutput_Normal) {
  feed(kSession);
  EXPECT_EQ(take_out(), "Claude: Hello\n[Tool] Read: src/main.rs\n");
  EXPECT_EQ(take_err(), "");
}

TEST_F(ConsoleTest, MockClaudeOutput_VerboseShowsResultsUsageAndTheEnd) {
  use(Verbosity::verbose);
  feed(kSession);
  RunResult result;
  result.status = Status::success;
  result.duration_ms = 12'345;
  result.cost_usd = 0.25;
  result.turns = 3;
  show(result);
  EXPECT_EQ(take_out(),
            "[Notice] session s, model m\n"
            "Claude: Hello\n"
            "[Tool] Read: src/main.rs\n"
            "[Result] fn\n"
            "[Usage] in 1 | out 2 | cache read 0 | cache write 0\n"
            "\n--- Session Complete ---\nDuration: 12345ms | Cost: $0.2500 | Turns: 3\n");
}

TEST_F(ConsoleTest, AnUnknownCostIsNotZero) {
  use(Verbosity::verbose);
  RunResult result;
  result.status = Status::success;
  show(result);
  EXPECT_EQ(take_out(), "\n--- Session Complete ---\nDuration: 0ms | Cost: unknown | Turns: 0\n");
}

TEST_F(ConsoleTest, ContextIsShownWhenKnown) {
  use(Verbosity::verbose);
  Usage usage;
  usage.model = "m";
  usage.message_id = "1";
  usage.tokens = {20'000, 0, 0, 1, 0};
  show(usage);
  Usage window;
  window.scope = UsageScope::turn;
  window.model = "m";
  window.context_window = 200'000;
  show(window);
  show(TurnEnded{});
  EXPECT_EQ(take_out(), "[Usage] in 0 | out 0 | cache read 0 | cache write 0 | context 10%\n");
}

TEST_F(ConsoleTest, ErrorHandling_MixedValidAndInvalidLines) {
  feed("garbage\n" + std::string(kSession.substr(0, kSession.find('\n') + 1)) +
       "{\"type\":\"ass\n" + std::string(kSession.substr(kSession.find('\n') + 1)));
  EXPECT_EQ(take_out(), "Claude: Hello\n[Tool] Read: src/main.rs\n");
  EXPECT_EQ(take_err(), "") << "skipped silently, told at the end";
  RunResult result;
  result.status = Status::success;
  result.skipped_lines = 2;
  show(result);
  EXPECT_EQ(take_out(), "");
  EXPECT_EQ(take_err(), "[Warning] 2 lines could not be read and were skipped\n");
}

TEST_F(ConsoleTest, ErrorsAppearInBothStdoutAndStderr) {
  show(ErrorEvent{ErrorClass::network, "connection\nlost", {}, {}, {}, {}});
  EXPECT_EQ(take_out(), "[Error] connection lost\n");
  EXPECT_EQ(take_err(), "[Error] connection lost\n");
}

TEST_F(ConsoleTest, ErrorsAppearOnceOnOneScreen) {
  use(ConsoleOptions{.verbosity = Verbosity::verbose, .agent_name = {}, .one_screen = true});
  show(ErrorEvent{ErrorClass::network, "lost", {}, {}, {}, {}});
  show(Notice{Level::warning, "x", "careful", {}});
  EXPECT_EQ(take_out(), "");
  EXPECT_EQ(take_err(), "[Error] lost\n[Warning] careful\n");
}

TEST_F(ConsoleTest, AnErrorSaidTwiceIsShownOnce) {
  show(ErrorEvent{ErrorClass::auth, "bad key", 401, {}, {}, {}});
  TurnEnded turn;
  turn.is_error = true;
  turn.error = "bad key";
  show(turn);
  RunResult result;
  result.status = Status::failed;
  result.headline = "could not log in";
  result.detail = "bad key";
  result.hint = "check the key";
  show(result);
  EXPECT_EQ(take_err(), "[Error] bad key\n[Error] could not log in (check the key)\n");
  show(ErrorEvent{ErrorClass::auth, "bad key", 401, {}, {}, {}});
  result.headline = "the agent reported an error";
  result.hint = {};
  show(result);
  EXPECT_EQ(take_err(), "[Error] bad key\n");
}

TEST_F(ConsoleTest, TheSameErrorAfterOtherEventsIsShownAgain) {
  show(ErrorEvent{ErrorClass::network, "lost", {}, {}, {}, {}});
  show(ToolCall{"1", "Bash", ToolKind::shell, "ls", {}});
  show(ErrorEvent{ErrorClass::network, "lost", {}, {}, {}, {}});
  EXPECT_EQ(take_out(), "[Error] lost\n[Tool] Bash: ls\n[Error] lost\n");
}

TEST_F(ConsoleTest, WhatWasLeftOfALimitIsNotShownAsOne) {
  TurnEnded turn;
  turn.is_error = true;
  turn.end = TurnEndReason::cost_limit;
  turn.error = "Reached maximum budget ($0.000292)";
  ConsoleOptions options;
  options.agent_budget = false;
  use(options);
  show(turn);
  EXPECT_EQ(take_err(), "");
  use(Verbosity::normal);
  show(turn);
  EXPECT_EQ(take_err(), "[Error] Reached maximum budget ($0.000292)\n");
}

TEST_F(ConsoleTest, AFailedTurnWithoutWordsNamesItsReason) {
  TurnEnded turn;
  turn.is_error = true;
  turn.reason = "max_turns";
  show(turn);
  EXPECT_EQ(take_err(), "[Error] max_turns\n");
}

TEST_F(ConsoleTest, WarningsGoToStderrAndInVerboseAlsoInline) {
  const Retry retry{1, 10, 601, 401, ErrorClass::auth, "authentication_failed"};
  const std::string line = "[Warning] API retry 1/10 in 601ms: authentication_failed (401)\n";
  show(retry);
  EXPECT_EQ(take_out(), "");
  EXPECT_EQ(take_err(), line);
  use(Verbosity::verbose);
  show(retry);
  EXPECT_EQ(take_out(), line);
  EXPECT_EQ(take_err(), line);
}

TEST_F(ConsoleTest, ARetryWithoutACauseNamesTheDoctorOnce) {
  ConsoleOptions options;
  options.endpoint = "http://127.0.0.1:9";
  use(options);
  feed(R"({"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"error":"unknown"})"
       "\n");
  EXPECT_EQ(
      take_err(),
      "[Warning] API retry 1/10: no cause given by the agent; 'ralph doctor' checks the model "
      "API (http://127.0.0.1:9)\n");
  show(Retry{2, 10, {}, {}, ErrorClass::network, ""});
  EXPECT_EQ(take_err(), "[Warning] API retry 2/10: no cause given by the agent\n");
  show(Retry{3, 10, {}, 500, ErrorClass::internal, ""});
  EXPECT_EQ(take_err(), "[Warning] API retry 3/10: internal (500)\n");
}

TEST_F(ConsoleTest, ADegradedRunIsAWarning) {
  RunResult result;
  result.status = Status::success;
  result.degraded = true;
  result.why = "its result is empty";
  show(result);
  EXPECT_EQ(take_err(), "[Warning] its result is empty\n");
}

TEST_F(ConsoleTest, QuietMode_NothingOnStdoutErrorsOnStderr) {
  use(Verbosity::quiet);
  feed("garbage\n" + std::string(kSession));
  show(Retry{1, 10, 601, 401, ErrorClass::auth, "x"});
  show(Notice{Level::warning, "x", "careful", {}});
  RunResult result;
  result.status = Status::success;
  result.skipped_lines = 1;
  show(result);
  EXPECT_EQ(take_err(), "");
  show(ErrorEvent{ErrorClass::internal, "broken", {}, {}, {}, {}});
  EXPECT_EQ(take_err(), "[Error] broken\n");
  EXPECT_EQ(take_out(), "");
}

TEST_F(ConsoleTest, SubagentsAreIndentedAndTheirTextIsForVerbose) {
  const Text text{"one\ntwo", false, true, {}};
  const ToolCall call{"2", "Bash", ToolKind::shell, "ls", {}};
  show(text, "1");
  show(call, "1");
  EXPECT_EQ(take_out(), "  [Tool] Bash: ls\n");
  use(Verbosity::verbose);
  show(text, "1");
  show(ErrorEvent{ErrorClass::internal, "bad", {}, {}, {}, {}}, "1");
  EXPECT_EQ(take_out(), "  Claude: one\n  two\n  [Error] bad\n");
  EXPECT_EQ(take_err(), "[Error] bad\n");
}

TEST_F(ConsoleTest, DetailsAndResultsAreCutAt200) {
  use(Verbosity::verbose);
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "é";
  show(ToolCall{"1", "Bash", ToolKind::shell, text, {}});
  show(ToolResult{"1", "Bash", true, {}, text, false});
  const auto cut = text.substr(0, 400) + "…\n";
  EXPECT_EQ(take_out(), "[Tool] Bash: " + cut + "[Result] " + cut);
}

TEST_F(ConsoleTest, SecretsAreMaskedBeforeTheCut) {
  use(Verbosity::verbose);
  show(Text{"it is correct-horse.", false, true, {}});
  show(ToolResult{"1", "Bash", true, {}, std::string(195, 'x') + "correct-horse", false});
  show(ErrorEvent{ErrorClass::internal, "\x1b[1mcorrect-\x1b[0mhorse", {}, {}, {}, {}});
  EXPECT_EQ(take_out(),
            "Claude: it is ***.\n[Result] " + std::string(195, 'x') + "***\n[Error] ***\n");
}

TEST_F(ConsoleTest, HalfASecretAtTheEndOfAVeryLongLineIsNotShown) {
  use(Verbosity::verbose);
  show(ToolResult{"1", "Bash", true, {}, std::string(6392, ' ') + "correct-horse and more", false});
  EXPECT_EQ(take_out(), "[Result] (no output)\n");
}

TEST_F(ConsoleTest, ColoursTheSameWords) {
  use(ConsoleOptions{.verbosity = Verbosity::verbose, .agent_name = {}, .colour_out = true});
  show(Text{"hi", false, true, {}});
  show(Unknown{"x", {}});
  show(ErrorEvent{ErrorClass::internal, "bad", {}, {}, {}, {}});
  EXPECT_EQ(
      take_out(),
      "\x1b[1;32mClaude:\x1b[0m hi\n\x1b[2m[Unknown] x\x1b[0m\n\x1b[1;31m[Error]\x1b[0m bad\n");
  EXPECT_EQ(take_err(), "[Error] bad\n");
}

}  // namespace
}  // namespace ralph::console
