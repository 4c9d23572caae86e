#include "agent/wire/harness.h"

namespace ralph::wire {
namespace {

constexpr std::string_view kWriteThenDone =
    R"({"steps":[{"tool_use":{"name":"Write","input":{"file_path":"a","content":"x"}}},
                 {"text":"Done."}]})";
const std::vector<std::string> kMayEdit{"--permission-mode", "acceptEdits"};

Document command_hook(std::string_view command, std::string_view matcher = "") {
  return {{"matcher", matcher},
          {"hooks", Document::array({{{"type", "command"}, {"command", command}}})}};
}

std::string hooks_setting(std::string_view event, std::string_view command,
                          std::string_view matcher = "") {
  return json::write({{"hooks", {{event, Document::array({command_hook(command, matcher)})}}}});
}

/// Asks with one hook in --settings.
Ran ask_with(Bench& bench, std::string_view event, std::string_view command,
             std::vector<std::string> more = {}) {
  more.insert(more.end(), {"--settings", hooks_setting(event, command)});
  return bench.ask("go", more);
}

std::vector<std::string> may_edit(std::vector<std::string> more = {}) {
  more.insert(more.end(), kMayEdit.begin(), kMayEdit.end());
  return more;
}

/// The first tool result that the model got.
std::string tool_result(const Ran& ran) {
  if (ran.requests.size() < 2) return {};
  const auto& blocks = ran.requests[1]["messages"].back()["content"];
  for (const auto& block : blocks) {
    if (block.value("type", "") == "tool_result") return json::write(block["content"]);
  }
  return {};
}

std::string all_messages(const Ran& ran, std::size_t request) {
  return ran.requests.size() > request ? json::write(ran.requests[request]["messages"]) : "";
}

TEST(Hooks, OneThatBlocksACallKeepsItFromRunning) {
  Bench bench(kWriteThenDone);
  const auto ran = ask_with(bench, "PreToolUse", "echo 'no writing' >&2; exit 2", may_edit());
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(bench.work() / "a"));
  EXPECT_TRUE(
      tool_result(ran).contains("PreToolUse:Write hook error: [echo 'no writing' >&2; exit "
                                "2]: no writing"))
      << tool_result(ran);
  EXPECT_EQ(ran.result()["permission_denials"].size(), 1U);
  EXPECT_EQ(ran.err, "");
}

TEST(Hooks, ExitCodeOneIsOnlyReported) {
  Bench bench(kWriteThenDone);
  const auto ran = ask_with(bench, "PreToolUse", "echo oops >&2; exit 1", may_edit());
  EXPECT_TRUE(std::filesystem::exists(bench.work() / "a"));
  EXPECT_TRUE(ran.err.contains("failed: exit code 1: oops")) << ran.err;
}

TEST(Hooks, OneCanAllowACallThatNoRuleAllows) {
  for (const auto* event : {"PreToolUse", "PermissionRequest"}) {
    Bench bench(kWriteThenDone);
    const auto ran = ask_with(bench, event, R"(echo '{"decision":"approve"}')");
    EXPECT_TRUE(std::filesystem::exists(bench.work() / "a")) << event << ran.err;
    Bench denied(kWriteThenDone);
    const auto by_rule = ask_with(denied, event, R"(echo '{"decision":"approve"}')",
                                  {"--disallowedTools", "Write(a)"});
    EXPECT_FALSE(std::filesystem::exists(denied.work() / "a")) << event << by_rule.err;
  }
}

TEST(Hooks, AFailingPermissionHookDeniesTheCall) {
  Bench bench(kWriteThenDone);
  const auto ran = ask_with(bench, "PermissionRequest", "./no-such-hook");
  EXPECT_FALSE(std::filesystem::exists(bench.work() / "a"));
  EXPECT_TRUE(tool_result(ran).contains("PermissionRequest:Write hook error")) << tool_result(ran);
}

/// The rules apply to the input that a hook puts in place of the model's.
TEST(Hooks, AChangedInputIsUsedAndChecked) {
  constexpr std::string_view kOther =
      R"(echo '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"file_path":"b","content":"y"}}}')";
  for (const auto* event : {"PreToolUse", "PermissionRequest"}) {
    Bench bench(kWriteThenDone);
    const auto ran = ask_with(bench, event, kOther);
    EXPECT_FALSE(std::filesystem::exists(bench.work() / "a"));
    EXPECT_TRUE(std::filesystem::exists(bench.work() / "b")) << event << ran.err;
    Bench denied(kWriteThenDone);
    ask_with(denied, event, kOther, {"--disallowedTools", "Write(b)"});
    EXPECT_FALSE(std::filesystem::exists(denied.work() / "b")) << event;
  }
}

TEST(Hooks, TheModelIsToldWhatAHookSaysAfterACall) {
  Bench bench(kWriteThenDone);
  const auto ran =
      ask_with(bench, "PostToolUse", "cat >input; echo 'not formatted' >&2; exit 2", may_edit());
  EXPECT_TRUE(all_messages(ran, 1).contains("not formatted")) << all_messages(ran, 1);
  const auto input = json::parse(*read_file(bench.work() / "input"));
  ASSERT_TRUE(input.has_value());
  EXPECT_EQ((*input)["hook_event_name"], "PostToolUse");
  EXPECT_EQ((*input)["tool_name"], "Write");
  EXPECT_EQ((*input)["cwd"], bench.work().string());
  EXPECT_EQ((*input)["permission_mode"], "acceptEdits");
  EXPECT_EQ((*input)["session_id"], ran.result()["session_id"]);
  EXPECT_TRUE((*input)["transcript_path"].get<std::string>().ends_with(".jsonl"));
  EXPECT_TRUE(input->contains("tool_response"));
}

TEST(Hooks, ContinueFalseEndsTheTurnBeforeTheNextRequest) {
  Bench bench(kWriteThenDone);
  const auto ran = ask_with(bench, "PostToolUse",
                            R"(echo '{"continue":false,"stopReason":"enough"}')", may_edit());
  EXPECT_EQ(ran.requests.size(), 1U);
  EXPECT_EQ(ran.result()["terminal_reason"], "hook_stopped");
  EXPECT_EQ(ran.result()["result"], "");
  EXPECT_EQ(ran.code, 0);
}

TEST(Hooks, ContinueFalseBeforeACallKeepsItFromRunning) {
  Bench bench(kWriteThenDone);
  const auto ran = ask_with(bench, "PreToolUse", R"(echo '{"continue":false}')", may_edit());
  EXPECT_FALSE(std::filesystem::exists(bench.work() / "a"));
  EXPECT_EQ(ran.requests.size(), 1U);
}

TEST(Hooks, OneCanKeepAPromptFromTheModel) {
  Bench bench;
  const auto ran = ask_with(bench, "UserPromptSubmit", "echo 'no prompts' >&2; exit 2");
  EXPECT_TRUE(ran.requests.empty());
  EXPECT_EQ(ran.code, 0);
  const auto result = ran.result();
  EXPECT_EQ(result["num_turns"], 0);
  EXPECT_EQ(result["result"],
            "UserPromptSubmit operation blocked by hook:\n[echo 'no prompts' >&2; exit 2]: no "
            "prompts\n\n\nOriginal prompt: go");
  EXPECT_TRUE(ran.story().contains("system/informational")) << ran.story();
}

/// A client may send its content as a string or as blocks.
TEST(Hooks, OneSeesThePromptOfAClient) {
  for (const auto& content :
       {Document("secret plan"), Document::array({{{"type", "text"}, {"text", "secret plan"}}})}) {
    Bench bench;
    bench.say_line(
        json::write({{"type", "user"}, {"message", {{"role", "user"}, {"content", content}}}}));
    bench.hang_up();
    const auto ran = bench.converse(
        {"--settings", hooks_setting("UserPromptSubmit", "grep -q 'secret plan' && exit 2")});
    EXPECT_TRUE(ran.requests.empty()) << content;
    EXPECT_TRUE(ran.result()["result"].get<std::string>().ends_with("Original prompt: secret plan"))
        << ran.result();
  }
}

TEST(Hooks, OneThatBlocksAMessageDoesNotLoseTheNext) {
  Bench bench(R"({"steps":[{"text":"slow","delay_ms":60000},{"text":"after"}]})");
  bench.say("one");
  bench.when_asked([](Bench& it) {
    it.say("secret", "u2");
    it.say("three", "u3");
    it.say_line(R"({"type":"control_request","request_id":"i","request":{"subtype":"interrupt"}})");
    it.hang_up();
  });
  const auto ran = bench.converse(
      {"--settings", hooks_setting("UserPromptSubmit", "grep -q '\"secret\"' && exit 2; exit 0")});
  const auto asked = all_messages(ran, 1);
  EXPECT_TRUE(asked.contains("three") && !asked.contains("secret")) << asked;
  EXPECT_TRUE(ran.out.contains("Original prompt: secret"));
  EXPECT_EQ(ran.result()["result"], "after");
}

TEST(Hooks, AFailingPromptHookKeepsThePromptFromTheModel) {
  Bench bench;
  const auto ran = ask_with(bench, "UserPromptSubmit", "./no-such-hook");
  EXPECT_TRUE(ran.requests.empty());
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.result()["terminal_reason"], "hook_stopped");
  EXPECT_EQ(ran.result()["is_error"], true);
}

TEST(Hooks, WhatAPromptHookPrintsReachesTheModel) {
  Bench bench;
  const auto ran = ask_with(bench, "UserPromptSubmit", "echo 'it is Monday'");
  EXPECT_TRUE(all_messages(ran, 0).contains("it is Monday"));
}

TEST(Hooks, OneCanMakeTheModelContinue) {
  Bench bench(R"({"steps":[{"text":"one"},{"text":"two"}]})");
  const auto ran = ask_with(
      bench, "Stop", "cat >>log; grep -q 'active\":true' log && exit 0; echo more >&2; exit 2");
  EXPECT_EQ(ran.requests.size(), 2U) << ran.err;
  EXPECT_EQ(ran.result()["result"], "two");
  EXPECT_TRUE(all_messages(ran, 1).contains("Stop hook feedback:")) << all_messages(ran, 1);
}

TEST(Hooks, AStopHookThatNeverAgreesEndsTheTurnWithAnError) {
  Bench bench(R"({"steps":[{"text":"x"}]})");
  const auto ran = ask_with(bench, "Stop", "exit 2");
  EXPECT_EQ(ran.requests.size(), 9U);
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(ran.result()["result"].get<std::string>().contains("8 times")) << ran.result();
}

TEST(Hooks, AStopHookIsHeldToTheTurnLimit) {
  Bench bench(R"({"steps":[{"text":"x"}]})");
  const auto ran = ask_with(bench, "Stop", "exit 2", {"--max-turns", "2"});
  EXPECT_EQ(ran.requests.size(), 2U);
  EXPECT_EQ(ran.result()["subtype"], "error_max_turns");
}

TEST(Hooks, AFailingStopHookEndsTheTurnWithAnError) {
  Bench bench;
  const auto ran = ask_with(bench, "Stop", "./no-such-hook");
  EXPECT_EQ(ran.requests.size(), 1U);
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.result()["terminal_reason"], "hook_stopped");
}

TEST(Hooks, SessionsStartAndEndWithTheirs) {
  Bench bench;
  const auto settings = json::write(
      {{"hooks",
        {{"SessionStart", Document::array({command_hook("cat >>log; echo 'use tabs'", "startup")})},
         {"SessionEnd", Document::array({command_hook("cat >>log")})}}}});
  const auto ran = bench.ask("go", {"--settings", settings});
  EXPECT_TRUE(all_messages(ran, 0).contains("use tabs")) << all_messages(ran, 0);
  EXPECT_TRUE(ran.story().starts_with("system/hook_started system/hook_response system/init"))
      << ran.story();
  const auto log = *read_file(bench.work() / "log");
  EXPECT_TRUE(log.contains(R"("source":"startup")")) << log;
  EXPECT_TRUE(log.contains(R"("reason":"other")")) << log;
}

TEST(Hooks, AResumedSessionStartsAsResumed) {
  Bench bench(R"({"steps":[{"text":"one"},{"text":"two"}]})");
  bench.ask("go");
  const auto ran = ask_with(bench, "SessionStart", "cat >log; echo note", {"--continue"});
  EXPECT_TRUE(read_file(bench.work() / "log")->contains(R"("source":"resume")"));
  ASSERT_FALSE(ran.requests.empty());
  EXPECT_TRUE(json::write(ran.requests.back()["messages"]).contains("note"));
}

TEST(Hooks, OneCanStopTheSession) {
  Bench bench;
  const auto ran =
      ask_with(bench, "SessionStart", R"(echo '{"continue":false,"stopReason":"not on Monday"}')");
  EXPECT_TRUE(ran.requests.empty());
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(ran.err.contains("not on Monday"));
  EXPECT_EQ(ran.result()["terminal_reason"], "hook_stopped");
}

TEST(Hooks, OneCanPreventACompaction) {
  Bench bench(R"({"steps":[{"text":"one"},{"text":"two"}]})");
  bench.say("go");
  bench.when("\"type\":\"result\"", [](Bench& it) {
    it.say("/compact keep names");
    it.hang_up();
  });
  const auto ran =
      bench.converse({"--settings", hooks_setting("PreCompact", "cat >log; exit 2", "manual")});
  EXPECT_EQ(ran.requests.size(), 1U);
  EXPECT_TRUE(ran.result()["result"].get<std::string>().contains("A PreCompact hook blocked"))
      << ran.result();
  EXPECT_TRUE(read_file(bench.work() / "log")->contains(R"("custom_instructions":"keep names")"));
}

TEST(Hooks, AllOfThemAreShownOnRequest) {
  Bench bench(kWriteThenDone);
  const auto count = [](const Ran& ran) {
    return std::ranges::count_if(ran.of_type("system"), [](const Document& event) {
      return event.value("subtype", "").starts_with("hook_");
    });
  };
  const auto shown =
      ask_with(bench, "PreToolUse", "echo hello", may_edit({"--include-hook-events"}));
  EXPECT_EQ(count(shown), 2);
  for (const auto& event : shown.of_type("system")) {
    if (event.value("subtype", "") != "hook_response") continue;
    EXPECT_EQ(event["hook_name"], "PreToolUse:Write");
    EXPECT_EQ(event["hook_event"], "PreToolUse");
    EXPECT_EQ(event["stdout"], "hello\n");
    EXPECT_EQ(event["exit_code"], 0);
    EXPECT_EQ(event["outcome"], "success");
  }
  Bench quiet(kWriteThenDone);
  EXPECT_EQ(count(ask_with(quiet, "PreToolUse", "echo hello", may_edit())), 0);
}

/// A client that answers each hook with `answer`.
Ran with_client(Bench& bench, std::string_view event, const std::string& answer,
                std::vector<std::string> more = {}) {
  bench.say_line(
      R"({"type":"control_request","request_id":"1","request":{"subtype":"initialize","hooks":{")" +
      std::string(event) + R"(":[{"hookCallbackIds":["h1"]}]}}})");
  bench.say("go");
  bench.when("\"subtype\":\"hook_callback\"", [answer](Bench& it) {
    auto request = it.line_with("\"subtype\":\"hook_callback\"");
    EXPECT_EQ(request["request"]["callback_id"], "h1");
    it.say_line(R"({"type":"control_response","response":{"subtype":"success","request_id":)" +
                json::write(request["request_id"]) + R"(,"response":)" + answer + "}}");
  });
  bench.when("\"type\":\"result\"", [](Bench& it) { it.hang_up(); });
  return bench.converse(std::move(more));
}

TEST(Hooks, AClientsHookDecides) {
  Bench bench(kWriteThenDone);
  const auto ran = with_client(
      bench, "PreToolUse",
      R"({"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not this"}})",
      kMayEdit);
  EXPECT_FALSE(std::filesystem::exists(bench.work() / "a"));
  EXPECT_TRUE(tool_result(ran).contains("PreToolUse:Write hook error: not this"))
      << tool_result(ran);
  Bench allowed(kWriteThenDone);
  with_client(allowed, "PreToolUse", "{}", kMayEdit);
  EXPECT_TRUE(std::filesystem::exists(allowed.work() / "a"));
}

TEST(Hooks, AClientThatLeavesBlocksTheCall) {
  Bench bench(kWriteThenDone);
  bench.say_line(
      R"({"type":"control_request","request_id":"1","request":{"subtype":"initialize","hooks":{"PreToolUse":[{"hookCallbackIds":["h1"]}]}}})");
  bench.say("go");
  bench.when("\"subtype\":\"hook_callback\"", [](Bench& it) { it.hang_up(); });
  const auto ran = bench.converse(kMayEdit);
  EXPECT_FALSE(std::filesystem::exists(bench.work() / "a"));
  EXPECT_TRUE(tool_result(ran).contains("the hook failed: ")) << tool_result(ran);
}

}  // namespace
}  // namespace ralph::wire
