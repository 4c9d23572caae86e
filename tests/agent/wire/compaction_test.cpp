#include "agent/session/compaction.h"

#include <fmt/core.h>

#include "agent/session/json_text.h"
#include "agent/wire/harness.h"

namespace ralph::wire {
namespace {

/// A call, then the request for a summary, then what follows.
constexpr std::string_view kFullAfterOneCall = R"({"steps":[
  {"tool_use":{"name":"Bash","input":{"command":"echo one"}},"usage":{"input_tokens":985000,"output_tokens":5}},
  {"text":"<summary>It was one.</summary>","usage":{"input_tokens":40,"output_tokens":6}},
  {"text":"Done.","usage":{"input_tokens":30,"output_tokens":5}}]})";

constexpr std::string_view kCompactedStory =
    "system/init assistant user system/status system/status system/compact_boundary user assistant "
    "result/success";

std::string all_text(const Document& request) { return json::write(request["messages"]); }

Document find_event(const Ran& ran, std::string_view subtype) {
  for (const auto& event : ran.events()) {
    if (event.value("subtype", "") == subtype) return event;
  }
  ADD_FAILURE() << "no " << subtype << " in " << ran.story();
  return Document::object();
}

TEST(Compaction, ReplacesAFullWindowByASummaryAndContinuesTheTurn) {
  Bench bench(kFullAfterOneCall);
  const auto ran = bench.ask("Say one", {"--dangerously-skip-permissions"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  ASSERT_EQ(ran.story(), kCompactedStory);
  const auto events = ran.events();
  EXPECT_EQ(events[3]["status"], "compacting");
  EXPECT_TRUE(events[4]["status"].is_null());
  EXPECT_EQ(events[4]["compact_result"], "success");
  const auto& metadata = events[5]["compact_metadata"];
  EXPECT_EQ(metadata["trigger"], "auto");
  EXPECT_GE(metadata["pre_tokens"], 985'005);
  EXPECT_GT(metadata["post_tokens"], 0);
  EXPECT_LT(metadata["post_tokens"], 5'000);
  EXPECT_EQ(
      metadata["cumulative_dropped_tokens"].get<std::int64_t>(),
      metadata["pre_tokens"].get<std::int64_t>() - metadata["post_tokens"].get<std::int64_t>());
  EXPECT_EQ(events[5]["logical_parent_uuid"], events[2]["uuid"]);
  EXPECT_EQ(events[6]["isSynthetic"], true);

  const auto result = ran.result();
  EXPECT_EQ(result["result"], "Done.");
  EXPECT_EQ(result["num_turns"], 3);
  EXPECT_EQ(result["usage"]["input_tokens"], 985'030) << "the summary is no part of the answer …";
  EXPECT_EQ(result["modelUsage"]["claude-opus-5-5"]["inputTokens"], 985'070) << "… but paid for";
}

TEST(Compaction, TheWindowThatWasSetCountsAfterClearToo) {
  Bench bench(R"({"steps":[
    {"tool_use":{"name":"Bash","input":{"command":"pwd"}},"usage":{"input_tokens":95000,"output_tokens":5}},
    {"text":"<summary>It was one.</summary>"},{"text":"Done."}]})");
  bench.set("CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000");
  bench.say("/clear");
  bench.when("\"local_command\":\"clear\"", [](Bench& it) {
    it.say("Say one");
    it.hang_up();
  });
  const auto ran = bench.converse();
  EXPECT_EQ(find_event(ran, "compact_boundary")["compact_metadata"]["trigger"], "auto");
}

TEST(Compaction, TheSummaryCoversAndThenReplacesTheConversation) {
  Bench bench(kFullAfterOneCall);
  const auto ran = bench.ask("Say one", {"--dangerously-skip-permissions"});
  ASSERT_EQ(ran.requests.size(), 3U);
  const auto asked = all_text(ran.requests[1]);
  EXPECT_TRUE(asked.contains("tool_use") && asked.contains("tool_result"));
  EXPECT_EQ(ran.requests[1]["tools"], ran.requests[0]["tools"]) << "for the prompt cache";
  ASSERT_EQ(ran.requests[2]["messages"].size(), 1U);
  const auto after = all_text(ran.requests[2]);
  EXPECT_TRUE(after.contains("It was one."));
  EXPECT_TRUE(after.contains("Say one")) << "the task, word by word";
  EXPECT_TRUE(after.contains(bench.work().string())) << "where it is";
  EXPECT_FALSE(after.contains(".jsonl")) << "it may not read the session's file";
  EXPECT_FALSE(after.contains("tool_use") || after.contains("tool_result"));
}

TEST(Compaction, FirstAndNewestPromptsAndTheFilesAtHandAreKeptByUs) {
  Bench bench(R"({"steps":[
    {"text":"Yes.","usage":{"input_tokens":10,"output_tokens":5}},
    {"tool_use":{"name":"Read","input":{"file_path":"a.txt"}},"usage":{"input_tokens":10,"output_tokens":5}},
    {"tool_use":{"name":"Write","input":{"file_path":"b.txt","content":"B"}},"usage":{"input_tokens":990000,"output_tokens":5}},
    {"text":"A summary that forgets everything.","usage":{"input_tokens":10,"output_tokens":5}},
    {"text":"Done."}]})");
  EXPECT_TRUE(write_file_atomically(bench.work() / "a.txt", "A\n", 0600));
  bench.say("The first task, exactly so.");
  bench.when("\"result\":\"Yes.\"", [](Bench& it) {
    it.say("And the newest wish.");
    it.hang_up();
  });
  const auto ran = bench.converse({"--dangerously-skip-permissions", "--tools", "Read,Write"});
  ASSERT_EQ(ran.requests.size(), 5U) << ran.story();
  const auto after = all_text(ran.requests[4]);
  EXPECT_TRUE(after.contains("The first task, exactly so."));
  EXPECT_TRUE(after.contains("And the newest wish."));
  const auto a = after.find("a.txt"), b = after.find("b.txt");
  ASSERT_NE(a, after.npos);
  ASSERT_NE(b, after.npos);
  EXPECT_LT(b, a) << "the newest first";
  EXPECT_TRUE(after.contains("1 bytes now"));
}

TEST(Compaction, ASessionResumesAfterIt) {
  Bench bench(R"({"steps":[
    {"tool_use":{"name":"Bash","input":{"command":"echo SECRET_OUTPUT"}},"usage":{"input_tokens":985000,"output_tokens":5}},
    {"text":"<summary>It was one.</summary>","usage":{"input_tokens":40,"output_tokens":6}},
    {"text":"Done.","usage":{"input_tokens":985001,"output_tokens":5}},
    {"text":"<summary>Second summary.</summary>","usage":{"input_tokens":40,"output_tokens":6}},
    {"text":"Two.","usage":{"input_tokens":30,"output_tokens":5}}]})");
  bench.ask("Say one", {"--dangerously-skip-permissions", "--append-system-prompt", "Be kind."});
  const auto ran = bench.ask("Say two", {"--continue", "--dangerously-skip-permissions"});
  ASSERT_EQ(ran.requests.size(), 5U);
  const auto second_ask = all_text(ran.requests[3]);
  EXPECT_TRUE(second_ask.contains("It was one.") && second_ask.contains("Done."));
  EXPECT_FALSE(second_ask.contains("SECRET_OUTPUT")) << "read from the boundary on only";
  EXPECT_FALSE(second_ask.contains("Say two")) << "what is asked now stays as it is";
  EXPECT_TRUE(json::write(ran.requests[3]["system"]).contains("Be kind."));
  const auto last = all_text(ran.requests[4]);
  EXPECT_TRUE(last.contains("Second summary."));
  EXPECT_TRUE(last.contains("Say one")) << "the first task outlives every compaction";
  const auto& content = ran.requests[4]["messages"].back()["content"];
  EXPECT_EQ(content.back()["text"], "Say two");
  EXPECT_EQ(bench.sessions().size(), 1U);
}

TEST(Compaction, ARefusedPromptIsCutDownToo) {
  for (const auto* const error :
       {R"("status":400,"message":"prompt is too long: 1250000 tokens > 1000000 maximum")",
        R"("status":413,"message":"Request exceeds the maximum size")"}) {
    Bench bench(fmt::format(R"({{"steps":[
      {{"tool_use":{{"name":"Bash","input":{{"command":"seq 2000"}}}}}},
      {{"error":{{{}}}}},
      {{"text":"<summary>It was one.</summary>"}},
      {{"text":"Done."}}]}})",
                            error));
    const auto ran = bench.ask("Say one", {"--dangerously-skip-permissions"});
    EXPECT_EQ(ran.story(), kCompactedStory) << error;
    EXPECT_EQ(ran.result()["result"], "Done.");
  }
}

TEST(Compaction, DocumentsLeaveTheConversationBeforeTheApiRefusesIt) {
  const api::Message call{api::Role::assistant, "[]"};
  const api::Message document{api::Role::user, std::string(29 << 20, 'x')};
  EXPECT_FALSE(is_large(std::vector{document})) << "it was not sent yet";
  EXPECT_TRUE(is_large(std::vector{document, call}));
  EXPECT_EQ(media_room(std::vector{document}, 200'000).bytes, 1 << 20);
}

TEST(Compaction, ARequestForASummaryThatIsTooLongLeavesOutTheBeginning) {
  Bench bench(R"({"steps":[
    {"tool_use":{"name":"Bash","input":{"command":"seq 2000"}}},
    {"tool_use":{"name":"Bash","input":{"command":"echo two"}}},
    {"error":{"status":400,"message":"prompt is too long: 1250000 tokens > 1000000 maximum"},"times":2},
    {"text":"<summary>It was two.</summary>"},
    {"text":"Done."}]})");
  const auto ran = bench.ask("Say one", {"--dangerously-skip-permissions"});
  EXPECT_EQ(ran.result()["result"], "Done.");
  ASSERT_EQ(ran.requests.size(), 6U);
  const auto& messages = ran.requests[4]["messages"];
  ASSERT_EQ(messages.size(), 3U) << "a note, a call, its result";
  EXPECT_EQ(messages[1]["content"][0]["id"], messages[2]["content"][0]["tool_use_id"]);
  EXPECT_EQ(messages[1]["content"][0]["input"]["command"], "echo two");
}

/// A call whose result alone is more than a window holds.
constexpr std::string_view kOversizedResult = R"({"steps":[
  {"text":"Yes.","usage":{"input_tokens":1000,"output_tokens":5}},
  {"tool_use":{"name":"Bash","input":{"command":"seq 5000"}},"usage":{"input_tokens":999000,"output_tokens":5}},
  {"text":"<summary>A long list.</summary>","usage":{"input_tokens":40,"output_tokens":6}},
  {"text":"Done."}]})";

TEST(Compaction, AResultThatFillsTheWindowIsCutInTheRequestForASummary) {
  Bench bench(kOversizedResult);
  bench.say("Hello");
  bench.when("\"result\":\"Yes.\"", [](Bench& it) {
    it.say("List the numbers");
    it.hang_up();
  });
  const auto ran = bench.converse({"--dangerously-skip-permissions"});
  ASSERT_EQ(ran.requests.size(), 4U) << ran.story();
  EXPECT_EQ(ran.result()["result"], "Done.");
  const auto asked = all_text(ran.requests[2]);
  EXPECT_LT(asked.size(), 10'000U) << "seq printed 23,893 bytes";
  EXPECT_TRUE(asked.contains("bytes removed here"));
  EXPECT_TRUE(asked.contains("\\n4999\\n5000")) << "the end of the result";
}

TEST(Compaction, WhatWasRefusedIsNeverSentAgain) {
  Bench bench(R"({"steps":[
    {"tool_use":{"name":"Bash","input":{"command":"seq 5000"}}},
    {"error":{"status":400,"message":"prompt is too long: 1250000 tokens > 1000000 maximum"},"times":9}]})");
  const auto ran = bench.ask("List the numbers", {"--dangerously-skip-permissions"});
  EXPECT_EQ(ran.code, 1);
  ASSERT_GE(ran.requests.size(), 3U);
  for (std::size_t i = 2; i < ran.requests.size(); ++i) {
    EXPECT_LT(all_text(ran.requests[i]).size(), all_text(ran.requests[i - 1]).size()) << i;
  }
}

TEST(Compaction, TheLongestBlocksAreCutFirst) {
  using enum api::Role;
  const auto call = [](std::string_view id) {
    return api::Message{assistant, fmt::format(R"([{{"type":"tool_use","id":"{}"}}])", id)};
  };
  const auto result = [](std::string_view id, const std::string& text) -> api::Message {
    return {user,
            fmt::format(R"([{{"type":"tool_result","tool_use_id":"{}","content":{}}}])", id, text)};
  };
  const auto picture =
      R"([{"type":"image","source":{"data":")" + std::string(50'000, 'A') + R"("}}])";
  const std::vector<api::Message> all{{user, text_content("the task")},
                                      call("a"),
                                      result("a", text_content("short")),
                                      call("b"),
                                      result("b", json_string(std::string(90'000, 'x'))),
                                      call("c"),
                                      result("c", picture)};
  EXPECT_EQ(shortened(all, size_of(all)), all);
  const auto some = shortened(all, 60'000);
  ASSERT_EQ(some.size(), all.size());
  EXPECT_LE(size_of(some), 60'000U);
  EXPECT_TRUE(std::equal(all.begin(), all.begin() + 4, some.begin()));
  EXPECT_TRUE(some[4].content.contains("bytes removed here"));
  const auto few = shortened(all, 6'000);
  EXPECT_EQ(few.size(), all.size());
  EXPECT_TRUE(few[6].content.contains("[image removed here]"));
  EXPECT_LE(size_of(few), 6'000U);
  const auto fewest = shortened(all, 1'000);
  ASSERT_EQ(fewest.size(), 3U) << "a note, the last call, its result";
  EXPECT_EQ(fewest[1], all[5]);
}

TEST(Compaction, AFirstPromptThatIsTooLongIsAnErrorAtOnce) {
  Bench bench(
      R"({"steps":[{"error":{"status":400,"message":"prompt is too long: 1250000 tokens > 1000000 maximum"}}]})");
  const auto ran = bench.ask("hi");
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.story(), "system/init assistant result/success");
  EXPECT_EQ(ran.result()["terminal_reason"], "prompt_too_long");
}

TEST(Compaction, AWindowThatIsFullAgainAtOnceEndsTheTurn) {
  Bench bench(R"({"steps":[
    {"tool_use":{"name":"Bash","input":{"command":"echo one"}},"usage":{"input_tokens":985000,"output_tokens":5}},
    {"text":"<summary>S</summary>"}],"then":"start_again"})");
  const auto ran = bench.ask("Say one", {"--dangerously-skip-permissions"});
  EXPECT_EQ(ran.code, 1);
  const auto result = ran.result();
  EXPECT_EQ(result["is_error"], true);
  EXPECT_EQ(result["terminal_reason"], "rapid_refill_breaker");
  EXPECT_TRUE(result.value("result", "").contains("Start a new session"));
  EXPECT_EQ(ran.requests.size(), 7U) << "three summaries, and the fourth is not asked for";
}

TEST(Compaction, WithoutASummaryTheTurnEndsAndSaysWhatToDo) {
  for (const std::string_view failing :
       {R"({"error":{"status":400,"message":"no such thing"}})", R"({"content":[]})"}) {
    Bench bench(fmt::format(
        R"({{"steps":[{{"tool_use":{{"name":"Bash","input":{{"command":"echo one"}}}},"usage":{{"input_tokens":985000}}}},{}]}})",
        failing));
    const auto ran = bench.ask("Say one", {"--dangerously-skip-permissions"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.result()["is_error"], true);
    EXPECT_EQ(ran.result()["terminal_reason"], "prompt_too_long");
    EXPECT_TRUE(ran.result().value("result", "").contains("Start a new session")) << ran.out;
    EXPECT_TRUE(ran.out.contains("\"compact_result\":\"failed\""));
    EXPECT_LE(ran.requests.size(), 3U);
  }
}

TEST(Compaction, ASummaryThatFillsTheWindowEndsTheTurn) {
  Bench bench(fmt::format(
      R"({{"steps":[{{"tool_use":{{"name":"Bash","input":{{"command":"echo one"}}}},"usage":{{"input_tokens":4000}}}},{{"text":"{}"}}]}})",
      std::string(20'000, 'x')));
  bench.set("CLAUDE_CODE_AUTO_COMPACT_WINDOW=4000");
  const auto ran = bench.ask("Say one", {"--dangerously-skip-permissions"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.requests.size(), 2U);
  EXPECT_TRUE(ran.result().value("result", "").contains("even the summary"));
}

TEST(Compaction, SwitchedOffAFullWindowIsAnError) {
  const auto refuse = [](Bench& bench, std::vector<std::string> more) {
    more.emplace_back("--dangerously-skip-permissions");
    const auto ran = bench.ask("Say one", more);
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.result()["terminal_reason"], "blocking_limit");
    EXPECT_EQ(ran.requests.size(), 1U);
  };
  Bench by_variable(kFullAfterOneCall);
  by_variable.set("DISABLE_AUTO_COMPACT=1");
  refuse(by_variable, {});
  Bench by_setting(kFullAfterOneCall);
  refuse(by_setting, {"--settings", R"({"autoCompactEnabled":false})"});
}

TEST(Compaction, OnDemandWithInstructions) {
  Bench bench(R"({"steps":[
    {"text":"First answer.","usage":{"input_tokens":10,"output_tokens":5}},
    {"text":"<summary>All so far.</summary>","usage":{"input_tokens":10,"output_tokens":5}},
    {"text":"Done.","usage":{"input_tokens":10,"output_tokens":5}}]})");
  bench.ask("Say one");
  const auto ran = bench.ask("/compact keep the names", {"--continue"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.story(),
            "system/status system/status system/init system/compact_boundary user user "
            "result/success");
  EXPECT_EQ(find_event(ran, "compact_boundary")["compact_metadata"]["trigger"], "manual");
  const auto result = ran.result();
  EXPECT_EQ(result["local_command"], "compact");
  EXPECT_EQ(result["num_turns"], 0);
  EXPECT_EQ(result["result"], "");
  EXPECT_EQ(result["modelUsage"]["claude-opus-5-5"]["inputTokens"], 20);
  EXPECT_TRUE(all_text(ran.requests[1]).contains("keep the names"));
  const auto after = bench.ask("go on", {"--continue"});
  EXPECT_EQ(after.result()["modelUsage"]["claude-opus-5-5"]["inputTokens"], 30);
  const auto text = all_text(after.requests[2]);
  EXPECT_TRUE(text.contains("All so far.") && text.contains("Say one"));
  EXPECT_FALSE(text.contains("First answer."));
  EXPECT_EQ(after.requests[2]["messages"].size(), 1U) << "no answer to the summary is made up";
}

TEST(Compaction, AForkKeepsWhatWasAskedFor) {
  Bench bench(R"({"steps":[{"text":"One."},{"text":"Two."},{"text":"<summary>Nothing.</summary>"},
    {"text":"Done."}]})");
  bench.ask("The first task.");
  bench.ask("The second.", {"--continue", "--fork-session"});
  bench.ask("/compact", {"--continue"});
  const auto ran = bench.ask("Go on.", {"--continue"});
  ASSERT_EQ(ran.requests.size(), 4U);
  const auto text = texts(ran.requests[3]["messages"][0]);
  EXPECT_TRUE(
      text.contains("<prompt>\nThe first task.\n</prompt>\n<prompt>\nThe second.\n</prompt>"))
      << text;
}

TEST(Compaction, OnDemandWithoutAReplyDoesNotAskTheModel) {
  Bench bench;
  const auto ran = bench.ask("/compact");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.requests.size(), 0U);
  EXPECT_EQ(ran.result()["local_command"], "compact");
}

TEST(Compaction, OnlyTheCommandItselfIsOne) {
  EXPECT_EQ(compact_command(R"([{"type":"text","text":"/compact"}])"), "");
  EXPECT_EQ(compact_command(R"([{"type":"text","text":" /compact  the names \n"}])"), "the names");
  EXPECT_EQ(compact_command(R"([{"type":"text","text":"/compacted"}])"), std::nullopt);
  EXPECT_EQ(compact_command(R"([{"type":"text","text":"what is /compact"}])"), std::nullopt);
  EXPECT_EQ(compact_command(R"([{"type":"image"},{"type":"text","text":"/compact"}])"),
            std::nullopt);
}

TEST(Compaction, AnInterruptDuringTheSummaryEndsTheTurnAndLosesNothing) {
  Bench bench(R"({"steps":[
    {"tool_use":{"name":"Bash","input":{"command":"echo one"}},"usage":{"input_tokens":985000,"output_tokens":5}},
    {"text":"<summary>late</summary>","trouble":{"at":"before_headers","do":"silence"}}]})");
  bench.when("\"compacting\"", [](Bench& it) { it.signal(SIGINT); });
  const auto ran = bench.ask("Say one", {"--dangerously-skip-permissions"});
  EXPECT_EQ(ran.code, 130);
  EXPECT_EQ(ran.result()["subtype"], "error_during_execution");
  EXPECT_FALSE(ran.out.contains("compact_boundary"));
}

TEST(Compaction, TheLimitFollowsTheWindow) {
  const CompactPolicy usual(settings::Environment({}), true);
  EXPECT_EQ(usual.limit(1'000'000), 977'000);
  EXPECT_EQ(usual.limit(200'000), 177'000);
  EXPECT_EQ(usual.limit(8'000), 6'000);
  EXPECT_EQ(CompactPolicy(settings::Environment({"CLAUDE_CODE_AUTO_COMPACT_WINDOW=100000"}), true)
                .limit(200'000),
            77'000);
  EXPECT_EQ(CompactPolicy(settings::Environment({"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=50"}), true)
                .limit(200'000),
            100'000);
}

TEST(Compaction, APictureIsNotCountedByItsBytes) {
  const auto picture =
      R"([{"type":"image","source":{"data":")" + std::string(1'000'000, 'A') + R"("}}])";
  EXPECT_LT(content_tokens(picture), 5'000);
  const auto document =
      R"([{"type":"document","source":{"data":")" + std::string(6'000'000, 'A') + R"("}}])";
  EXPECT_LE(content_tokens(document), 100'000);
  EXPECT_EQ(content_tokens(text_content(std::string(4'000, 'a'))) / 100, 10);
}

}  // namespace
}  // namespace ralph::wire
