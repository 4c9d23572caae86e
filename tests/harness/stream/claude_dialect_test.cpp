// The Claude dialect, line by line: what each kind of line becomes.
#include <gtest/gtest.h>

#include "harness/stream/claude_lines.h"
#include "support/fixtures.h"

namespace ralph::stream {
namespace {

TEST(JsonParsing, ValidMalformedAndEmptyLines) {
  EXPECT_EQ(skipped("{\"type\":\"system\",\"subtype\":\"init\"}\n"), 0);
  EXPECT_EQ(skipped("\n  \n\t\r\n"), 0);
  EXPECT_EQ(skipped("not json\n{\"type\":\n[1,2]\n42\n\"text\"\n{}trailing\n"), 6);
}

TEST(JsonParsing, GoesOnAfterAMalformedLine) {
  const auto texts = only<Text>(
      "garbage\n"
      R"({"type":"assistant","message":{"content":[{"type":"text","text":"still here"}]}})"
      "\n");
  ASSERT_EQ(texts->events.size(), 1u);
  EXPECT_EQ(texts->at(0).text, "still here");
  EXPECT_EQ(texts->events[0].line, 2);
}

TEST(ClaudeDialect, ALoneSurrogateIsRepairedNotLost) {
  const std::string line =
      R"({"type":"assistant","message":{"content":[{"type":"text","text":"half \ud83d pair"}]}})";
  EXPECT_EQ(skipped(line), 0);
  EXPECT_EQ(only<Text>(line)->at(0).text, "half \xEF\xBF\xBD pair");
}

TEST(ClaudeDialect, InvalidUtf8IsRepairedNotLost) {
  const std::string line =
      "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"a\xff"
      "b\"}]}}";
  EXPECT_EQ(only<Text>(line)->at(0).text,
            "a\xEF\xBF\xBD"
            "b");
}

TEST(ClaudeDialect, ANulByteMakesTheLineMalformedAndNothingElse) {
  using namespace std::string_view_literals;
  EXPECT_EQ(skipped("{\"type\":\"us\0er\"}\n{\"type\":\"keep_alive\"}\n"sv), 1);
}

TEST(ClaudeDialect, UnknownTypesAndSubtypesKeepTheirLine) {
  const auto unknown = only<Unknown>(R"({"type":"brand_new","x":1})"
                                     "\n"
                                     R"({"type":"system","subtype":"mystery","y":[2]})"
                                     "\n"
                                     R"({"no_type":true})"
                                     "\n");
  ASSERT_EQ(unknown->events.size(), 3u);
  EXPECT_EQ(unknown->at(0).type, "brand_new");
  EXPECT_EQ(unknown->at(0).raw.text, R"({"type":"brand_new","x":1})");
  EXPECT_EQ(unknown->at(1).type, "system/mystery");
  EXPECT_EQ(unknown->at(2).type, "");
}

TEST(ClaudeDialect, WrongTypesInKnownFieldsAreHarmless) {
  for (const auto* line :
       {R"({"type":"assistant","message":7})", R"({"type":"assistant","message":{"content":{}}})",
        R"({"type":"user","message":{"content":[1,null,"x"]}})",
        R"({"type":"result","usage":[],"modelUsage":3,"is_error":"yes"})",
        R"({"type":"stream_event","event":null})",
        R"({"type":"system","subtype":"init","tools":{}})", R"({"type":"rate_limit_event"})",
        R"({"type":17})", R"({"type":"tool_progress"})"}) {
    EXPECT_EQ(skipped(line), 0) << line;
  }
}

TEST(ClaudeDialect, InitStartsTheSessionOnceAndATurnEachTime) {
  const auto bytes = test::fixture("claude/input_multi_messages.ndjson");
  const auto sessions = only<SessionStarted>(bytes);
  ASSERT_EQ(sessions->events.size(), 1u);
  EXPECT_EQ(sessions->at(0).session_id, "00000000-0000-4000-8000-000000000001");
  EXPECT_EQ(sessions->at(0).model, "claude-opus-5-5");
  EXPECT_EQ(sessions->at(0).agent_version, "2.1.325");
  EXPECT_EQ(sessions->at(0).permission_mode, "default");
  EXPECT_TRUE(sessions->at(0).tools.text.starts_with("[\""));
  const auto turns = only<TurnStarted>(bytes);
  const auto ends = only<TurnEnded>(bytes);
  EXPECT_EQ(turns->events.size(), ends->events.size());
  EXPECT_GT(turns->events.size(), 1u);
  EXPECT_EQ(turns->at(1).n, 2);
}

TEST(ClaudeDialect, ToolCallsCarryKindDetailAndVerbatimInput) {
  const auto calls = only<ToolCall>(
      R"({"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls -l", "n" : 1.0}},)"
      R"({"type":"tool_use","id":"t2","name":"Grep","input":{"pattern":"x+","path":"src"}},)"
      R"({"type":"tool_use","id":"t3","name":"mcp__tiny__echo","input":{"value":"v"}},)"
      R"({"type":"tool_use","id":"t4","name":"Grep","input":{"pattern":"x+"}},)"
      R"({"type":"server_tool_use","id":"t5","name":"WebSearch","input":{"query":"q"}}]}})");
  ASSERT_EQ(calls->events.size(), 5u);
  EXPECT_EQ(calls->at(0).input.text, R"({"command":"ls -l", "n" : 1.0})");
  EXPECT_EQ(calls->at(0).detail, "ls -l");
  EXPECT_EQ(calls->at(0).kind, ToolKind::shell);
  EXPECT_EQ(calls->at(1).detail, "x+ in src");
  EXPECT_EQ(calls->at(2).kind, ToolKind::mcp);
  EXPECT_EQ(calls->at(2).detail, "v");
  EXPECT_EQ(calls->at(3).detail, "x+");
  EXPECT_EQ(calls->at(4).kind, ToolKind::web);
}

struct DetailCase {
  const char* name;
  const char* input;
  const char* detail;
};
TEST(ClaudeDialect, TheDetailIsTheArgumentAPersonWantsToSee) {
  const DetailCase cases[] = {
      {"Read", R"({"file_path":"/a.txt","limit":3})", "/a.txt"},
      {"Write", R"({"content":"x","file_path":"/b"})", "/b"},
      {"Edit", R"({"file_path":"/c","old_string":"o","new_string":"n"})", "/c"},
      {"NotebookEdit", R"({"notebook_path":"/n.ipynb"})", "/n.ipynb"},
      {"Glob", R"({"pattern":"*.h","path":"src"})", "*.h in src"},
      {"WebFetch", R"({"url":"http://x","prompt":"p"})", "http://x"},
      {"Agent", R"({"description":"review it","prompt":"long"})", "review it"},
      {"Skill", R"({"skill":"pdf"})", "pdf"},
      {"TodoWrite", R"({"todos":[]})", ""},
      {"Brandnew", R"({"count":3,"query":"q"})", "q"},
      {"Brandnew", R"({"odd":"value"})", "value"},
      {"Brandnew", R"({})", ""},
  };
  for (const auto& [name, input, detail] : cases) {
    const auto line =
        std::string(
            R"({"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":")") +
        name + R"(","input":)" + input + "}]}}";
    EXPECT_EQ(only<ToolCall>(line)->at(0).detail, detail) << line;
  }
}

TEST(ClaudeDialect, ToolResultsKnowTheirToolAndExitCode) {
  const auto results = only<ToolResult>(test::fixture("claude/tool_bash.ndjson"));
  ASSERT_GT(results->events.size(), 2u);
  EXPECT_EQ(results->at(0).name, "Bash");
  EXPECT_EQ(results->at(0).ok, true);
  EXPECT_EQ(results->at(0).output, "hello\nerr");
  EXPECT_EQ(results->at(1).ok, false);
  EXPECT_EQ(results->at(1).exit_code, 3);
}

TEST(ClaudeDialect, ToolResultContentMayBeAListOfBlocks) {
  const auto results = only<ToolResult>(
      R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":"one"},{"type":"image","source":{}},{"type":"text","text":"two"}]}]}})");
  EXPECT_EQ(results->at(0).output, "one\n[image]\ntwo");
}

TEST(ClaudeDialect, DenialsAreErrorsAndMarkTheToolsResult) {
  const auto bytes = test::fixture("claude/permission_denied.ndjson");
  const auto errors = only<ErrorEvent>(bytes);
  ASSERT_FALSE(errors->events.empty());
  EXPECT_EQ(errors->at(0).error_class, ErrorClass::permission);
  EXPECT_EQ(errors->at(0).tool, "Write");
  const auto results = only<ToolResult>(bytes);
  EXPECT_TRUE(std::ranges::any_of(
      results->events, [](const Event& event) { return std::get<ToolResult>(event.what).denied; }));
}

TEST(ClaudeDialect, DeltasAreMarkedAndTheWholeBlockFollows) {
  const auto texts = only<Text>(test::fixture("claude/text_turn_partial.ndjson"));
  std::string pieces;
  for (const auto& event : texts->events) {
    const auto& text = std::get<Text>(event.what);
    if (text.delta) {
      EXPECT_FALSE(text.final);
      pieces += text.text;
    } else {
      EXPECT_TRUE(text.final);
      EXPECT_EQ(text.text, pieces);
    }
  }
  EXPECT_EQ(pieces, "Hello from the fake.");
}

TEST(ClaudeDialect, UsageOfARequestIsPartialUntilItsEnd) {
  const auto usage = only<Usage>(test::fixture("claude/text_turn_partial.ndjson"));
  ASSERT_EQ(usage->events.size(), 3u);
  EXPECT_TRUE(usage->at(0).partial);
  EXPECT_EQ(usage->at(0).tokens.output, 1);
  EXPECT_FALSE(usage->at(1).partial);
  EXPECT_EQ(usage->at(1).tokens.output, 5);
  EXPECT_EQ(usage->at(1).message_id, usage->at(0).message_id);
  EXPECT_EQ(usage->at(2).scope, UsageScope::turn);
  EXPECT_EQ(usage->at(2).context_window, 1000000);
}

TEST(ClaudeDialect, TheStubUsageOfAMessageIsReportedOnce) {
  const std::string block =
      R"({"type":"assistant","message":{"id":"m1","model":"x","content":[{"type":"text","text":"a"}],"usage":{"input_tokens":9,"output_tokens":1}}})"
      "\n";
  EXPECT_EQ(only<Usage>(block + block)->events.size(), 1u);
}

TEST(ClaudeDialect, SubagentEventsNameTheirCall) {
  const auto calls = only<ToolCall>(test::fixture("claude/subagent_foreground.ndjson"));
  ASSERT_GE(calls->events.size(), 2u);
  EXPECT_EQ(calls->events[0].parent, "");
  EXPECT_EQ(calls->events[1].parent, calls->at(0).call_id);
  EXPECT_EQ(calls->at(0).kind, ToolKind::subagent);
}

TEST(ClaudeDialect, AHeartbeatIsOutputOfTheCallItSpeaksOf) {
  const auto bytes = test::fixture("claude/tool_long_heartbeat.ndjson");
  const auto progress = only<ToolOutput>(bytes);
  ASSERT_FALSE(progress->events.empty());
  EXPECT_EQ(progress->at(0).call_id, only<ToolCall>(bytes)->at(0).call_id);
  EXPECT_EQ(progress->at(0).text, "running for 30 s");
}

std::vector<std::string> topics(const std::string& name) {
  std::vector<std::string> found;
  const auto notices = only<Notice>(test::fixture("claude/" + name + ".ndjson"));
  for (const auto& event : notices->events) found.emplace_back(std::get<Notice>(event.what).topic);
  return found;
}

TEST(ClaudeDialect, EverythingElseAHandlerCanUseIsANotice) {
  const auto has = [](const std::vector<std::string>& list, const char* topic) {
    return std::ranges::find(list, topic) != list.end();
  };
  EXPECT_TRUE(has(topics("compact_auto"), "compaction"));
  EXPECT_TRUE(has(topics("subagent_background"), "background_tasks"));
  EXPECT_TRUE(has(topics("subagent_background"), "task_started"));
  EXPECT_TRUE(has(topics("subagent_background"), "task_notification"));
  EXPECT_TRUE(has(topics("hooks_events"), "hook"));
  EXPECT_TRUE(has(topics("model_fallback"), "model_fallback"));
  EXPECT_TRUE(has(topics("rate_limit_event"), "rate_limit"));
  EXPECT_TRUE(has(topics("text_turn_partial"), "status"));
  EXPECT_TRUE(has(topics("command_clear"), "conversation_reset"));
  EXPECT_TRUE(has(topics("permission_can_use_tool"), "control_request"));
}

TEST(ClaudeDialect, AWithdrawnRequestIsANotice) {
  const auto notices = only<Notice>(R"({"type":"control_cancel_request","request_id":"1"})");
  ASSERT_EQ(notices->events.size(), 1u);
  EXPECT_EQ(notices->at(0).topic, "control_cancel_request");
}

TEST(ClaudeDialect, TenMebibyteLinesAreRead) {
  const std::string big(10 << 20, 'x');
  const auto line =
      R"({"type":"assistant","message":{"content":[{"type":"text","text":")" + big + "\"}]}}\n";
  EXPECT_EQ(only<Text>(line)->at(0).text.size(), big.size());
}

TEST(ClaudeDialect, DeepNestingIsMalformedNotACrash) {
  EXPECT_EQ(skipped("{\"type\":" + std::string(100000, '[') + "\n"), 1);
  EXPECT_EQ(skipped("{\"a\":" + std::string(5000, '[') + std::string(5000, ']') + "}\n"), 1);
}

TEST(ClaudeDialect, NumbersBeyond64BitsDoNotCostTheLine) {
  const auto ends = only<TurnEnded>(
      R"({"type":"result","is_error":false,"result":"done","num_turns":1,"structured_output":{"n":100000000000000000000}})");
  ASSERT_EQ(ends->events.size(), 1u);
  EXPECT_EQ(ends->at(0).text, "done");
  EXPECT_EQ(ends->at(0).structured.text, R"({"n":100000000000000000000})");
}

TEST(ClaudeDialect, AResetInMillisecondsOrNonsenseIsNoStrangeDate) {
  const auto resets = [](const std::string& value) {
    return only<ErrorEvent>(
               R"({"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":)" +
               value + "}}")
        ->at(0)
        .resets_at;
  };
  EXPECT_EQ(resets("1794800000000"), 1794800000);
  EXPECT_EQ(resets("9000000000000000000"), 10'000'000'000);
  EXPECT_EQ(resets("-5"), std::nullopt);
  EXPECT_EQ(resets("\"soon\""), std::nullopt);
}

TEST(ClaudeDialect, LinesOfManyBlocksAreRead) {
  std::string blocks;
  for (int i = 0; i < 20'000; ++i) {
    const auto id = std::to_string(i);
    blocks += (i == 0 ? "" : ",") + (R"({"type":"tool_use","id":"t)" + id +
                                     R"(","name":"Bash","input":{"command":")" + id + "\"}}");
  }
  const auto events =
      test::claude_events(R"({"type":"assistant","message":{"content":[)" + blocks + "]}}");
  ASSERT_EQ(events.size(), 20'000u);
  EXPECT_NE(events.back().find(R"("input":{"command":"19999"})"), std::string::npos);
}

TEST(ClaudeDialect, EitherMarkOfADenialCounts) {
  const std::string call =
      R"({"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}})"
      "\n";
  const std::string denied =
      R"({"type":"system","subtype":"permission_denied","tool_name":"Bash","tool_use_id":"t","message":"no"})"
      "\n";
  const auto result = [](const std::string& meta) {
    return R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"x","is_error":true}]})" +
           meta + "}\n";
  };
  const std::string reject =
      R"(,"tool_result_meta":[{"id":"t","permission_decision":{"decision":"reject"}}])";
  EXPECT_TRUE(only<ToolResult>(call + denied + result(""))->at(0).denied);
  EXPECT_TRUE(only<ToolResult>(call + result(reject))->at(0).denied);
  EXPECT_FALSE(only<ToolResult>(call + result(""))->at(0).denied);
}

TEST(ClaudeDialect, AnUnansweredCallIsForgottenAtTheEndOfTheTurn) {
  const std::string call =
      R"({"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}})"
      "\n";
  const std::string end = R"({"type":"result","is_error":false,"result":"x"})"
                          "\n";
  const std::string late =
      R"({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}})"
      "\n";
  EXPECT_EQ(only<ToolResult>(call + late)->at(0).name, "Bash");
  EXPECT_EQ(only<ToolResult>(call + end + late)->at(0).name, "");
}

TEST(ClaudeDialect, TheEndOfARequestKeepsWhatItsStartSaid) {
  const auto usage = only<Usage>(
      R"({"type":"stream_event","event":{"type":"message_start","message":{"id":"m","model":"x","usage":{"input_tokens":7,"cache_read_input_tokens":8,"output_tokens":1}}}})"
      "\n"
      R"({"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":9}}})"
      "\n");
  EXPECT_EQ(usage->at(1).tokens, (Tokens{7, 8, 0, 9, 0}));
  EXPECT_EQ(usage->at(1).message_id, "m");
}

}  // namespace
}  // namespace ralph::stream
