#include "agent/wire/client_exchange.h"

namespace ralph::wire {
namespace {

TEST(Initialize, DescribesTheAgent) {
  Bench bench;
  bench.ask_agent("i", request("initialize", {{"agents",
                                               {{"helper",
                                                 {{"description", "Helps."},
                                                  {"prompt", "You help."},
                                                  {"tools", {"Read"}},
                                                  {"model", "haiku"}}}}}}));
  bench.hang_up();
  const auto answer = answer_to(bench.converse(), "i");
  EXPECT_EQ(answer["subtype"], "success");
  EXPECT_EQ(answer["pending_permission_requests"], Document::array());
  const auto& told = answer["response"];
  ASSERT_EQ(told["agents"].size(), 4U) << "three are built in";
  EXPECT_EQ(told["agents"].back(),
            (Document{{"name", "helper"}, {"description", "Helps."}, {"model", "haiku"}}));
  for (const auto* list : {"commands", "models", "available_output_styles"}) {
    EXPECT_FALSE(told[list].empty()) << list;
  }
  for (const auto& model : told["models"]) {
    for (const auto* key : {"value", "resolvedModel", "displayName", "description"}) {
      EXPECT_TRUE(model[key].is_string()) << key;
    }
  }
  EXPECT_EQ(told["account"]["apiKeySource"], "ANTHROPIC_API_KEY");
  EXPECT_EQ(told["hook_on_failure_supported"], true);
  EXPECT_EQ(told["claude_code_version"], "2.1.325");
  EXPECT_TRUE(told["pid"].is_number());
}

TEST(Initialize, MayComeLateAndTwice) {
  Bench bench(R"({"steps":[{"text":"one"},{"text":"two"}]})");
  bench.say("one");
  bench.when("\"type\":\"result\"", [](Bench& it) {
    it.ask_agent("a", request("initialize", {{"systemPrompt", {"Too late."}}}));
    it.ask_agent("b", request("initialize"));
    it.say("two");
    it.hang_up();
  });
  const auto ran = bench.converse();
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(answer_to(ran, "a")["subtype"], "success");
  EXPECT_EQ(answer_to(ran, "b")["subtype"], "success");
  EXPECT_EQ(ran.of_type("result").size(), 2U);
  EXPECT_EQ(ran.requests[1]["system"], ran.requests[0]["system"])
      << "the prompt of a session is fixed";
}

TEST(Initialize, APromptNeedNotWaitForItsAnswer) {
  Bench bench;
  bench.ask_agent("i", request("initialize", {{"systemPrompt", {"You are", "", "a test."}},
                                              {"appendSystemPrompt", "Be brief."}}));
  bench.say("one");
  bench.hang_up();
  const auto ran = bench.converse();
  const auto system = json::write(ran.requests.at(0)["system"]);
  EXPECT_TRUE(system.contains("You are\\n\\na test.")) << system;
  EXPECT_TRUE(system.contains("Be brief.")) << system;
}

TEST(Initialize, CanAskForStructuredOutput) {
  Bench bench(
      R"({"steps":[{"tool_use":{"name":"StructuredOutput","input":{"n":1}}},{"text":"more"}]})");
  bench.ask_agent("i", request("initialize", {{"jsonSchema",
                                               {{"type", "object"},
                                                {"properties", {{"n", {{"type", "number"}}}}},
                                                {"required", {"n"}}}}}));
  bench.say("one");
  bench.hang_up();
  const auto ran = bench.converse();
  EXPECT_EQ(ran.result()["structured_output"], Document({{"n", 1}}));
  EXPECT_EQ(ran.requests.size(), 1U);
}

TEST(Initialize, RefusesWhatItCannotRead) {
  for (const auto* members :
       {R"("hooks":5)", R"("hooks":{"PreToolUse":5})",
        R"("hooks":{"PreToolUse":[{"matcher":"x"}]})",
        R"("hooks":{"PreToolUse":[{"hookCallbackIds":[5]}]})", R"("agents":[])",
        R"("agents":{"a":{"description":"x"}})", R"("sdkMcpServers":"x")", R"("systemPrompt":5)",
        R"("jsonSchema":{"type":"nonsense"})", R"("jsonSchema":"x")", R"("title":5)"}) {
    Bench bench;
    bench.say_line(
        R"({"type":"control_request","request_id":"i","request":{"subtype":"initialize",)" +
        std::string(members) + "}}");
    bench.hang_up();
    const auto answer = answer_to(bench.converse(), "i");
    EXPECT_EQ(answer["subtype"], "error") << members;
    EXPECT_FALSE(answer.value("error", "").empty()) << members;
  }
}

TEST(Initialize, RefusesNamesOfServersThatFilesCannotHave) {
  for (const auto& name : {std::string(), std::string(101, 'n')}) {
    Bench bench;
    bench.ask_agent("i", request("initialize", {{"sdkMcpServers", {"calc", name}}}));
    bench.ask_agent("s", request("mcp_status"));
    bench.hang_up();
    const auto ran = bench.converse();
    EXPECT_EQ(
        answer_to(ran, "i").value("error", ""),
        "initialize: 'sdkMcpServers': server '" + name + "': its name must have 1 to 100 bytes");
    EXPECT_EQ(answer_to(ran, "s")["response"]["mcpServers"], Document::array());
  }
}

TEST(Initialize, ThatIsRefusedChangesNothing) {
  Bench bench;
  bench.ask_agent(
      "i", request("initialize", {{"systemPrompt", "Not this."},
                                  {"agents", {{"helper", {{"description", "x"}, {"prompt", "y"}}}}},
                                  {"title", "Not this title"},
                                  {"hooks", 5}}));
  bench.ask_agent("again", request("initialize"));
  bench.say("one");
  bench.hang_up();
  const auto ran = bench.converse();
  EXPECT_EQ(answer_to(ran, "i")["subtype"], "error");
  EXPECT_EQ(answer_to(ran, "again")["response"]["agents"].size(), 3U) << "the built-in ones";
  EXPECT_FALSE(ran.requests.at(0)["system"].dump().contains("Not this."));
}

TEST(Initialize, SaysThatHooksRun) {
  Bench bench;
  bench.ask_agent(
      "i", request("initialize",
                   {{"hooks",
                     {{"PreToolUse", Document::array({Document{{"hookCallbackIds", {"h"}}}})}}}}));
  bench.hang_up();
  const auto answer = answer_to(bench.converse(), "i");
  EXPECT_EQ(answer["response"]["hooks_applied"], true);
  EXPECT_EQ(answer["response"]["hook_on_failure_supported"], true);
}

}  // namespace
}  // namespace ralph::wire
