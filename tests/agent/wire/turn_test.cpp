#include "agent/wire/harness.h"

namespace ralph::wire {
namespace {

constexpr std::string_view kPartialStory =
    "system/init system/status stream_event stream_event stream_event assistant stream_event "
    "stream_event stream_event result/success";

TEST(Turn, OneAnswerFromInitToResult) {
  Bench bench(R"({"steps":[{"text":"Hello.","usage":{"input_tokens":10,"output_tokens":5}}]})");
  const auto ran = bench.ask("hi there");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  ASSERT_EQ(ran.story(), "system/init assistant result/success");
  const auto events = ran.events();
  EXPECT_EQ(events[0]["model"], "claude-opus-5-5");
  EXPECT_EQ(events[0]["apiKeySource"], "ANTHROPIC_API_KEY");
  EXPECT_EQ(events[0]["cwd"], bench.work().string());
  const auto& message = events[1]["message"];
  EXPECT_EQ(json::write(message["content"]), R"([{"type":"text","text":"Hello."}])");
  EXPECT_TRUE(message["stop_reason"].is_null());
  EXPECT_EQ(message["usage"]["output_tokens"], 1) << "as message_start had it";
  const auto& result = events[2];
  EXPECT_EQ(result["result"], "Hello.");
  EXPECT_EQ(result["is_error"], false);
  EXPECT_EQ(result["num_turns"], 1);
  EXPECT_EQ(result["stop_reason"], "end_turn");
  EXPECT_EQ(result["terminal_reason"], "completed");
  EXPECT_EQ(result["usage"]["output_tokens"], 5);
  EXPECT_DOUBLE_EQ(result["total_cost_usd"], 10 * 4e-6 + 5 * 20e-6);
  EXPECT_EQ(result["modelUsage"]["claude-opus-5-5"]["inputTokens"], 10);
  EXPECT_EQ(result["modelUsage"]["claude-opus-5-5"]["contextWindow"], 1'000'000);
  EXPECT_TRUE(result["permission_denials"].is_array());
  for (const auto& event : events) {
    EXPECT_EQ(event["session_id"], events[0]["session_id"]);
    EXPECT_EQ(event.value("uuid", "").size(), 36U);
  }
}

TEST(Turn, TheRequestHoldsThePromptBehindWhereWeAre) {
  Bench bench;
  const auto ran = bench.ask("hi there");
  ASSERT_EQ(ran.requests.size(), 1U);
  const auto& request = ran.requests[0];
  ASSERT_EQ(request["messages"].size(), 1U);
  const auto& content = request["messages"][0]["content"];
  EXPECT_EQ(content.back()["text"], "hi there");
  EXPECT_TRUE(content.front().value("text", "").contains(bench.work().string()));
  EXPECT_TRUE(content.back().contains("cache_control"));
  EXPECT_EQ(request["stream"], true);
  EXPECT_EQ(request["thinking"]["type"], "adaptive");
  EXPECT_FALSE(request["system"].empty());
  EXPECT_FALSE(json::write(request["system"]).contains(bench.work().string()))
      << "what changes from folder to folder would spoil the cache";
}

TEST(Turn, TextAndJsonFormatsShowTheResultOnly) {
  EXPECT_EQ(Bench().run({"-p", "hi"}).out, "Hello.\n");
  const auto json = Bench().run({"-p", "hi", "--output-format", "json"});
  EXPECT_EQ(json.story(), "result/success");
  EXPECT_FALSE(json.result().contains("model_usage_since_last_result"));
  const auto all = Bench().run({"-p", "hi", "--output-format", "json", "--verbose"});
  const auto array = json::parse(all.out);
  ASSERT_TRUE(array && array->is_array());
  EXPECT_EQ(array->size(), 3U);
}

TEST(Turn, PartialMessagesShowTheAnswerGrow) {
  Bench bench;
  const auto ran = bench.ask("hi", {"--include-partial-messages"});
  EXPECT_EQ(ran.story(), kPartialStory) << "the whole block comes before its stop";
  const auto parts = ran.of_type("stream_event");
  EXPECT_EQ(parts[0]["event"]["type"], "message_start");
  EXPECT_TRUE(parts[0].contains("ttft_ms"));
  EXPECT_EQ(parts[2]["event"]["delta"]["text"], "Hello.");
  EXPECT_EQ(parts[2]["api_message_id"], "msg_mock_000001");
}

TEST(Turn, ThinkingIsShownCountedAndSentBack) {
  Bench bench(R"({"steps":[{"thinking":"Let me see.","text":"Yes."},{"text":"Still yes."}]})");
  bench.say("one");
  bench.when("\"result\":\"Yes.\"", [](Bench& it) {
    it.say("two");
    it.hang_up();
  });
  const auto ran = bench.converse();
  EXPECT_EQ(ran.story(),
            "system/init system/thinking_tokens assistant assistant result/success "
            "system/init assistant result/success");
  const auto assistants = ran.of_type("assistant");
  EXPECT_EQ(assistants[0]["message"]["content"][0]["thinking"], "Let me see.");
  EXPECT_TRUE(assistants[0].contains("thinking_duration_ms"));
  EXPECT_EQ(assistants[0]["message"]["id"], assistants[1]["message"]["id"]);
  const auto& history = ran.requests.at(1)["messages"];
  ASSERT_EQ(history.size(), 3U);
  EXPECT_EQ(history[1]["content"][0]["type"], "thinking");
  EXPECT_FALSE(history[1]["content"][0].value("signature", "").empty());
}

TEST(Turn, APrefixStaysTheSameWhileTheConversationGrows) {
  Bench bench(R"({"steps":[{"text":"A"},{"text":"B"},{"text":"C"}]})");
  bench.say("one");
  bench.when("\"result\":\"A\"", [](Bench& it) { it.say("two"); });
  bench.when("\"result\":\"B\"", [](Bench& it) {
    it.say("three");
    it.hang_up();
  });
  const auto ran = bench.converse();
  ASSERT_EQ(ran.requests.size(), 3U);
  const auto without_marks = [](Document messages) {
    for (auto& message : messages) {
      for (auto& block : message["content"]) block.erase("cache_control");
    }
    return messages;
  };
  const auto marks = [](const Document& messages) {
    std::string where;
    for (const auto& message : messages) {
      where += message["content"].back().contains("cache_control") ? 'x' : '.';
    }
    return where;
  };
  EXPECT_EQ(ran.requests[0]["system"], ran.requests[2]["system"]);
  const auto before = without_marks(ran.requests[1]["messages"]);
  const auto after = without_marks(ran.requests[2]["messages"]);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i], after[i]);
  EXPECT_EQ(marks(ran.requests[2]["messages"]), "..x.x") << "the last two of the user";
}

TEST(Turn, AnotherModelIsAskedAsItWantsToBe) {
  Bench bench;
  bench.set("MAX_THINKING_TOKENS=2048");
  const auto ran = bench.ask("hi", {"--model", "claude-sonnet-4-5"});
  EXPECT_EQ(ran.requests.at(0)["model"], "claude-sonnet-4-5");
  EXPECT_EQ(ran.requests.at(0)["thinking"]["budget_tokens"], 2048);
  Bench other;
  const auto local = other.ask("hi", {"--model", "qwen3-coder"});
  EXPECT_FALSE(local.requests.at(0).contains("thinking"));
  EXPECT_FALSE(local.requests.at(0).contains("output_config"));
  EXPECT_TRUE(local.err.contains("the price of 'qwen3-coder' is unknown")) << local.err;
  // As the original counts it: 4 and 20 dollars per million tokens.
  const auto used = local.result()["modelUsage"]["qwen3-coder"];
  EXPECT_DOUBLE_EQ(
      local.result()["total_cost_usd"].get<double>(),
      (used["inputTokens"].get<double>() * 4 + used["outputTokens"].get<double>() * 20) / 1e6);
  EXPECT_GT(local.result()["total_cost_usd"], 0);
  EXPECT_EQ(local.result()["modelUsage"]["qwen3-coder"]["costBasis"], "unknown");
}

TEST(Turn, ABudgetHoldsForAModelWithoutAKnownPrice) {
  Bench bench(R"({"steps":[{"tool_use":{"name":"Bash","input":{"command":"true"}},
      "usage":{"input_tokens":100000,"output_tokens":10000}}],"then":"repeat_last"})");
  const auto ran = bench.ask("hi", {"--model", "gpt-5", "--max-budget-usd", "1"});
  EXPECT_EQ(ran.result()["subtype"], "error_max_budget_usd");
  EXPECT_EQ(ran.requests.size(), 2U);  // $0.60 each
}

TEST(Turn, EffortAndEnvironmentReachTheRequest) {
  Bench bench;
  bench.set("CLAUDE_CODE_MAX_OUTPUT_TOKENS=1234");
  bench.set("ANTHROPIC_DEFAULT_HAIKU_MODEL=claude-haiku-4-5");
  const auto ran = bench.ask("hi", {"--model", "haiku", "--effort=low"});
  EXPECT_EQ(ran.requests.at(0)["model"], "claude-haiku-4-5");
  EXPECT_EQ(ran.requests.at(0)["max_tokens"], 1234);
}

TEST(Turn, SystemPromptsReplaceOrFollowOurs) {
  Bench bench;
  bench.folder().write("more.txt", "From a file.");
  const auto file = (bench.folder() / "more.txt").string();
  auto ran = bench.ask("hi", {"--system-prompt", "Mine.", "--append-system-prompt-file", file});
  EXPECT_EQ(ran.requests.at(0)["system"][0]["text"], "Mine.\n\nFrom a file.");
  Bench none;
  ran = none.ask("hi", {"--system-prompt", ""});
  EXPECT_TRUE(!ran.requests.at(0).contains("system") || ran.requests.at(0)["system"].empty());
  Bench missing;
  ran = missing.ask("hi", {"--system-prompt-file", "/no/such/file"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(ran.err.contains("/no/such/file"));
}

TEST(StopReasons, AReplyCutByItsLimitContinuesThreeTimes) {
  Bench bench(R"({"steps":[{"text":"cut off","stop_reason":"max_tokens"}]})");
  const auto ran = bench.ask("hi");
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.requests.size(), 4U);
  EXPECT_EQ(ran.result()["num_turns"], 4);
  EXPECT_EQ(ran.result()["api_error"], "max_output_tokens");
  EXPECT_EQ(ran.of_type("user")[0]["isSynthetic"], true);
}

TEST(StopReasons, ARefusalIsRetriedOnceThenReported) {
  Bench bench(R"({"steps":[{"text":"I cannot","stop_reason":"refusal"}]})");
  const auto ran = bench.ask("hi");
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.story(),
            "system/init assistant system/informational user assistant "
            "system/model_refusal_no_fallback assistant result/success");
  EXPECT_EQ(ran.result()["stop_reason"], "refusal");
  EXPECT_EQ(ran.result()["is_error"], true);
}

TEST(StopReasons, AnEmptyAnswerIsAskedForOnce) {
  Bench bench(R"({"steps":[{"content":[]}]})");
  const auto ran = bench.ask("hi");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.story(), "system/init user result/success");
  EXPECT_EQ(ran.result()["result"], "");
}

TEST(StopReasons, AToolCallThatIsNotThereIsAskedForAgain) {
  Bench bench(R"({"steps":[{"text":"hm","stop_reason":"tool_use"},{"text":"fin"}]})");
  const auto ran = bench.ask("hi");
  EXPECT_EQ(ran.story(), "system/init assistant user assistant result/success");
  const auto assistants = ran.of_type("assistant");
  EXPECT_EQ(ran.of_type("user")[0]["retracted_message_uuids"][0], assistants[0]["uuid"]);
  EXPECT_EQ(assistants[1]["supersedes"][0], assistants[0]["uuid"]);
  for (const auto& message : ran.requests.at(1)["messages"]) {
    EXPECT_NE(texts(message), "hm") << "what was taken back is not sent";
  }
}

TEST(StopReasons, AnUnknownToolIsAnErrorForTheModel) {
  Bench bench(R"({"steps":[{"tool_use":{"name":"NoSuchTool","input":{"a":1}}},{"text":"ok"}]})");
  const auto ran = bench.ask("hi");
  EXPECT_EQ(ran.story(), "system/init assistant user assistant result/success");
  const auto result = ran.of_type("user")[0]["message"]["content"][0];
  EXPECT_EQ(result["is_error"], true);
  EXPECT_TRUE(result.value("content", "").contains("No such tool available: NoSuchTool"));
  EXPECT_EQ(ran.result()["num_turns"], 2);
}

TEST(Limits, TheBudgetEndsTheTurnBehindTheRequestThatBrokeIt) {
  Bench bench(
      R"({"steps":[{"text":"final","usage":{"input_tokens":100000,"output_tokens":10000}}]})");
  const auto ran = bench.ask("hi", {"--max-budget-usd", "0.5"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.story(), "system/init assistant result/error_max_budget_usd");
  EXPECT_EQ(ran.result()["errors"][0], "Reached maximum budget ($0.5)");
  EXPECT_DOUBLE_EQ(ran.result()["total_cost_usd"], 0.6);
}

TEST(Limits, TurnsAreCountedInRequests) {
  Bench bench(R"({"steps":[{"tool_use":{"name":"X"}}]})");
  const auto ran = bench.ask("hi", {"--max-turns", "2"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.requests.size(), 2U);
  EXPECT_EQ(ran.result()["subtype"], "error_max_turns");
  EXPECT_EQ(ran.result()["num_turns"], 3);
  EXPECT_EQ(
      Bench(R"({"steps":[{"tool_use":{"name":"X"}}]})").run({"-p", "hi", "--max-turns", "1"}).out,
      "Error: Reached max turns (1)\n");
}

}  // namespace
}  // namespace ralph::wire
