#include "agent/wire/client_exchange.h"
#include "agent/wire/subagent_steps.h"

/// Where agents are defined, and what a definition changes.
namespace ralph::wire {
namespace {

TEST(SubagentDefinitions, AnAgentOfTheProjectHasItsPromptToolsAndModel) {
  Bench bench(one_agent(R"(,"subagent_type":"reviewer","run_in_background":false)",
                        child_steps("ALPHA", "Alpha report")));
  bench.folder().write("work/.claude/agents/reviewer.md",
                       "---\nname: reviewer\ndescription: Reviews code.\ntools: Bash, Glob\n"
                       "model: haiku\n---\n\nYou are the REVIEWER.\n");
  const auto ran = bench.ask("go");
  EXPECT_EQ(ran.events()[0]["agents"],
            Document({"Explore", "Plan", "general-purpose", "reviewer"}));
  EXPECT_TRUE(ran.requests[0]["tools"][0]["description"].get<std::string>().contains(
      "\n- reviewer: Reviews code. (tools: Bash, Glob)"));
  const auto& asked = ran.requests.at(1);
  EXPECT_EQ(asked["model"], "claude-haiku-5-5");
  EXPECT_TRUE(asked["system"].dump().contains("You are the REVIEWER."));
  ASSERT_EQ(asked["tools"].size(), 2U);
  EXPECT_EQ(asked["tools"][0]["name"], "Bash");
  EXPECT_EQ(asked["tools"][1]["name"], "Glob");
}

TEST(SubagentDefinitions, NeverHaveToolsThatTheSessionMustNotHave) {
  Bench bench(one_agent(R"(,"subagent_type":"reviewer","run_in_background":false)",
                        R"({"match":{"system":"You are a subagent"},"text":"Fine."})"));
  const auto ran =
      bench.ask("go", {"--tools", "Agent,Read", "--agents",
                       R"({"reviewer":{"description":"d","prompt":"p","tools":["Bash","Read"]}})"});
  ASSERT_EQ(ran.requests.at(1)["tools"].size(), 1U);
  EXPECT_EQ(ran.requests.at(1)["tools"][0]["name"], "Read");
}

TEST(SubagentDefinitions, AFileWithAMistakeIsReportedAndItsAgentCannotBeCalled) {
  Bench bench(
      one_agent(R"(,"subagent_type":"broken")", R"({"match":{"contains":"NEVER"},"text":"x"})"));
  bench.folder().write("work/.claude/agents/b.md",
                       "---\nname: broken\ndescription: d\npermissionMode: yolo\n---\nPrompt.\n");
  const auto ran = bench.ask("go");
  EXPECT_TRUE(ran.err.contains(
      "b.md: 'permissionMode' has the unknown value 'yolo'; the agent 'broken' cannot be used"))
      << ran.err;
  EXPECT_TRUE(text_of(first_result(ran)).contains("'permissionMode' has the unknown value"));
}

TEST(SubagentDefinitions, BadDefinitionsOnTheCommandLineEndTheAgent) {
  for (const auto& [given, why] : std::vector<std::pair<std::string, std::string>>{
           {"{broken", "--agents"},
           {R"({"a":{"description":"d"}})", "--agents: agent 'a': 'prompt' is missing"},
           {R"({"a":{"description":"d","prompt":"p","tools":7}})",
            "'tools' must be a list of tools"},
           {R"({"a":{"description":"d","prompt":"p","hooks":{"Stop":[1]}}})",
            "'hooks' is not supported"},
           {"missing.json", "'missing.json' is neither a JSON object nor a file with one"}}) {
    Bench bench;
    const auto ran = bench.ask("go", {"--agents", given});
    EXPECT_EQ(ran.code, 1) << given;
    EXPECT_TRUE(ran.err.contains(why)) << ran.err;
    EXPECT_TRUE(ran.requests.empty());
  }
}

TEST(SubagentDefinitions, ASessionCanWorkAsAnAgent) {
  const std::string agents =
      R"({"reviewer":{"description":"d","prompt":"You are the REVIEWER.","tools":["Read"],"model":"haiku"}})";
  Bench bench;
  const auto ran = bench.ask("go", {"--agents", agents, "--agent", "reviewer"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.events()[0]["tools"], Document({"Read"}));
  EXPECT_EQ(ran.requests[0]["model"], "claude-haiku-5-5");
  EXPECT_TRUE(ran.requests[0]["system"].dump().contains("You are the REVIEWER."));
  for (const auto& [given, seen] : std::vector<std::pair<std::string, std::string>>{
           {"", "You are the REVIEWER."}, {"Be brief.", "Be brief."}}) {
    const auto with =
        bench.ask("go", {"--agents", agents, "--agent", "reviewer", "--system-prompt", given});
    EXPECT_TRUE(with.requests.back()["system"].dump().contains(seen)) << given;
  }
  const auto unknown = bench.ask("go", {"--agent", "nobody"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_TRUE(unknown.err.contains("--agent 'nobody': there is no such agent")) << unknown.err;
}

TEST(SubagentDefinitions, ASessionCanWorkAsAnAgentOfItsClient) {
  const Document agents{{"tester", {{"description", "Tests."}, {"prompt", "You are the TESTER."}}}};
  Bench bench;
  bench.ask_agent("i", request("initialize", {{"agents", agents}}));
  bench.say("go");
  bench.hang_up();
  const auto ran = bench.converse({"--agent", "tester"});
  EXPECT_EQ(answer_to(ran, "i")["subtype"], "success");
  EXPECT_TRUE(ran.requests.at(0)["system"].dump().contains("You are the TESTER.")) << ran.err;
}

TEST(SubagentDefinitions, AnAgentThatTheClientDoesNotDefineEndsTheProgram) {
  for (const bool initialized : {true, false}) {
    Bench bench;
    if (initialized) bench.ask_agent("i", request("initialize"));
    bench.say("go");
    bench.hang_up();
    const auto ran = bench.converse({"--agent", "tester"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_TRUE(ran.err.contains("--agent 'tester': there is no such agent")) << ran.err;
  }
}

TEST(SubagentDefinitions, AMoreRestrictiveModeOfAnAgentHolds) {
  Bench bench(one_agent(R"(,"subagent_type":"careful","run_in_background":false)",
                        child_steps("ALPHA", "Alpha report", "touch made; echo seen")));
  const auto ran = bench.ask(
      "go", {"--permission-mode", "acceptEdits", "--agents",
             R"({"careful":{"description":"d","prompt":"p","permissionMode":"default"}})"});
  EXPECT_FALSE(std::filesystem::exists(bench.work() / "made"));
  Bench loose(one_agent(R"(,"subagent_type":"loose","run_in_background":false)",
                        child_steps("ALPHA", "Alpha report", "touch made; echo seen")));
  loose.ask("go",
            {"--agents",
             R"({"loose":{"description":"d","prompt":"p","permissionMode":"bypassPermissions"}})"});
  EXPECT_FALSE(std::filesystem::exists(loose.work() / "made")) << "the session's mode holds too";
}

TEST(SubagentDefinitions, TheClientIsAskedWithTheIdOfTheSubagent) {
  Bench bench(one_agent(kWait, child_steps("ALPHA", "Alpha report", "touch made; echo seen")));
  bench.say("go");
  bench.when("\"can_use_tool\"", [](Bench& it) {
    const auto out = it.printed();
    const auto at = out.rfind("{\"type\":\"control_request\"");
    const auto asked = json::parse(out.substr(at, out.find('\n', at) - at)).value_or(Document());
    EXPECT_TRUE(asked["request"].value("agent_id", "").starts_with("a")) << asked.dump();
    it.say_line(json::write(Document{
        {"type", "control_response"},
        {"response",
         {{"subtype", "success"},
          {"request_id", asked["request_id"]},
          {"response", {{"behavior", "allow"}, {"updatedInput", asked["request"]["input"]}}}}}}));
  });
  bench.when("\"type\":\"result\"", [](Bench& it) { it.hang_up(); });
  const auto ran = bench.converse({"--permission-prompt-tool", "stdio"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(std::filesystem::exists(bench.work() / "made"));
}

}  // namespace
}  // namespace ralph::wire
