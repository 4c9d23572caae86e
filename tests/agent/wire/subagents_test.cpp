#include <algorithm>

#include <fmt/core.h>

#include "agent/wire/harness.h"

namespace ralph::wire {
namespace {

/// Replies to a subagent whose task contains a word: a call of Bash, then a text.
std::string child_steps(std::string_view word, std::string_view text,
                        std::string_view command = "echo seen") {
  constexpr std::string_view kStep =
      R"({{"match":{{"contains":"{}","system":"You are a subagent","tool_result":"{}"}},"text":"{}"}},)";
  return fmt::format(kStep, word, "seen", text) + fmt::format(kStep, word, "permi", "Denied.") +
         fmt::format(
             R"({{"match":{{"contains":"{}","system":"You are a subagent"}},
                "text":"Looking.","tool_use":{{"name":"Bash","input":{{"command":"{}"}}}}}})",
             word, command);
}

std::string agent_call(std::string_view prompt, std::string_view more) {
  return fmt::format(
      R"({{"tool_use":{{"name":"Agent","input":{{"description":"look at it","prompt":"{}"{}}}}}}})",
      prompt, more);
}

constexpr std::string_view kWait = R"(,"run_in_background":false)";

/// One call of Agent, then "Done.", then what comes after the end of a background task.
std::string one_agent(std::string_view more, std::string_view children) {
  return fmt::format(R"({{"steps":[{},{{"text":"Done."}},{{"text":"Later."}},{}]}})",
                     agent_call("ALPHA", more), children);
}

std::vector<Document> of_subtype(const Ran& ran, std::string_view subtype) {
  std::vector<Document> found;
  for (auto& event : ran.events()) {
    if (event.value("subtype", "") == subtype) found.push_back(event);
  }
  return found;
}

/// The result of the first call of the session itself.
Document first_result(const Ran& ran) {
  for (const auto& event : ran.of_type("user")) {
    if (event["parent_tool_use_id"].is_null()) return event;
  }
  return Document::object();
}

std::string text_of(const Document& event) {
  const auto& content = event["message"]["content"][0]["content"];
  return content.is_string() ? content.get<std::string>() : content[0].value("text", "");
}

TEST(Subagents, TwoWorkAtTheSameTimeAndReportInTheResultsOfTheirCalls) {
  Bench bench(fmt::format(R"({{"steps":[{{"content":[{},{}]}},{{"text":"Done."}},{},{}]}})",
                          agent_call("ALPHA", kWait), agent_call("BETA", kWait),
                          child_steps("ALPHA", "Alpha report",
                                      "until [ -e b ]; do sleep 0.01; done; touch a; echo seen"),
                          child_steps("BETA", "Beta report",
                                      "touch b; until [ -e a ]; do sleep 0.01; done; echo seen")));
  const auto ran = bench.ask("go", {"--dangerously-skip-permissions"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  std::string reports;
  for (const auto& event : ran.of_type("user")) {
    if (event["parent_tool_use_id"].is_null()) reports += text_of(event);
  }
  EXPECT_TRUE(reports.contains("\n  Alpha report\nagentId: a")) << reports;
  EXPECT_TRUE(reports.contains("\n  Beta report\nagentId: a")) << reports;
  EXPECT_EQ(ran.result()["result"], "Done.");
  EXPECT_EQ(ran.result()["num_turns"], 3);
  EXPECT_EQ(ran.of_type("result").size(), 1U);
  EXPECT_EQ(ran.result()["subagent_stats"]["spawned"], 2);
  EXPECT_EQ(ran.result()["subagent_stats"]["completed"], 2);
  EXPECT_EQ(ran.result()["subagent_stats"]["requested"]["foreground"], 2);
}

TEST(Subagents, EventsNameTheCallAndTheTask) {
  Bench bench(one_agent(kWait, child_steps("ALPHA", "Alpha report")));
  const auto ran = bench.ask("go");
  const auto call = ran.of_type("assistant")[0]["message"]["content"][0]["id"];
  const auto started = of_subtype(ran, "task_started").at(0);
  const auto id = started["task_id"];
  EXPECT_EQ(started["tool_use_id"], call);
  EXPECT_EQ(started["description"], "look at it");
  EXPECT_EQ(started["subagent_type"], "general-purpose");
  EXPECT_EQ(started["task_type"], "local_agent");
  EXPECT_EQ(started["is_backgrounded"], false);
  std::size_t inner = 0;
  for (const auto& event : ran.events()) {
    if (!event.contains("parent_tool_use_id") || event["parent_tool_use_id"].is_null()) continue;
    ++inner;
    EXPECT_EQ(event["parent_tool_use_id"], call);
    EXPECT_EQ(event["agent_id"], id);
    EXPECT_EQ(event["subagent_type"], "general-purpose");
    EXPECT_EQ(event["task_description"], "look at it");
    EXPECT_FALSE(event.dump().contains("Looking.")) << "texts are not wanted";
  }
  EXPECT_EQ(inner, 3U) << "prompt, call, result";
  const auto progress = of_subtype(ran, "task_progress").at(0);
  EXPECT_EQ(progress["description"], "Running echo seen");
  EXPECT_EQ(progress["last_tool_name"], "Bash");
  EXPECT_EQ(progress["usage"]["tool_uses"], 1);
  const auto ended = of_subtype(ran, "task_notification").at(0);
  EXPECT_EQ(ended["status"], "completed");
  EXPECT_EQ(ended["summary"], "Alpha report");
  EXPECT_EQ(ended["task_id"], id);
  EXPECT_GT(ended["usage"]["total_tokens"], 0);
  EXPECT_TRUE(std::filesystem::exists(ended["output_file"].get<std::string>()));
  EXPECT_EQ(of_subtype(ran, "init").size(), 1U);
  EXPECT_EQ(first_result(ran)["tool_use_result"]["status"], "completed");
  EXPECT_EQ(first_result(ran)["tool_use_result"]["agentId"], id);
  EXPECT_EQ(first_result(ran)["tool_use_result"]["toolsUsed"], Document({"Bash"}));
}

TEST(Subagents, TextsAreForwardedOnRequest) {
  Bench bench(one_agent(kWait, child_steps("ALPHA", "Alpha report")));
  const auto ran = bench.ask("go", {"--forward-subagent-text"});
  EXPECT_TRUE(ran.out.contains("Looking."));
}

TEST(Subagents, WorkInABackgroundAndTheResultWaitsForThem) {
  Bench bench(one_agent(
      "", child_steps("ALPHA", "Alpha report", "until [ -e go ]; do sleep 0.01; done; echo seen")));
  bench.when("\"text\":\"Done.\"", [](Bench& it) {
    EXPECT_FALSE(it.printed().contains("\"type\":\"result\""));
    it.folder().write("work/go", "");
  });
  const auto ran = bench.ask("go", {"--dangerously-skip-permissions"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto results = ran.of_type("result");
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0]["result"], "Done.");
  EXPECT_EQ(results[1]["result"], "Later.");
  EXPECT_EQ(results[1]["origin"]["kind"], "task-notification");
  EXPECT_EQ(results[1]["model_usage_since_last_result"], Document::object());
  EXPECT_EQ(results[0]["total_cost_usd"], results[1]["total_cost_usd"]);
  EXPECT_EQ(results[0]["subagent_stats"]["started_in_background"], 1);
  EXPECT_EQ(first_result(ran)["tool_use_result"]["status"], "async_launched");
  const auto told = texts(ran.requests.back()["messages"].back());
  EXPECT_TRUE(told.contains("has ended: completed")) << told;
  EXPECT_TRUE(told.contains("\n  Alpha report\n")) << told;
  EXPECT_EQ(of_subtype(ran, "background_tasks_changed").back()["tasks"], Document::array());
}

TEST(Subagents, TheModelCanStopOne) {
  Bench bench(fmt::format(
      R"({{"steps":[{},{{"tool_use":{{"name":"TaskStop","input":{{"task_id":"nobody"}}}}}},{{"text":"Done."}},{{"text":"Later."}},{}]}})",
      agent_call("ALPHA", ""), child_steps("ALPHA", "Alpha report")));
  const auto ran = bench.ask("go", {"--tools", "Agent,TaskStop,Bash"});
  EXPECT_EQ(ran.events()[0]["tools"], Document({"Task", "Bash", "TaskStop"}));
  EXPECT_TRUE(ran.out.contains("No task with the id 'nobody' is running."));
  for (const auto& request : ran.requests) {
    if (!request["system"].dump().contains("You are a subagent")) continue;
    EXPECT_FALSE(request["tools"].dump().contains("TaskStop"));
  }
}

TEST(Subagents, UsageIsInTheTotalsAndTheTranscriptIsASideChain) {
  Bench bench(one_agent(R"(,"model":"haiku","run_in_background":false)",
                        child_steps("ALPHA", "Alpha report")));
  const auto ran = bench.ask("go");
  const auto usage = ran.result()["modelUsage"];
  EXPECT_EQ(usage.size(), 2U) << usage.dump();
  EXPECT_TRUE(usage.contains("claude-haiku-5-5")) << usage.dump();
  const auto child = of_subtype(ran, "task_notification").at(0)["output_file"].get<std::string>();
  EXPECT_TRUE(child.contains("/subagents/agent-a")) << child;
  const auto lines = read_file(child).value_or("");
  EXPECT_TRUE(lines.contains(R"("isSidechain":true)"));
  EXPECT_FALSE(lines.contains(R"("isSidechain":false)"));
  EXPECT_TRUE(lines.contains("Alpha report"));
  const auto again = bench.ask("again", {"--continue"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.result()["session_id"], ran.result()["session_id"]);
}

TEST(Subagents, TheBudgetEndsParentAndChild) {
  Bench bench(one_agent(kWait, R"({"match":{"system":"You are a subagent"},"text":"More.",
      "tool_use":{"name":"Bash","input":{"command":"echo seen"}},
      "usage":{"input_tokens":10,"output_tokens":100000}})"));
  const auto ran = bench.ask("go", {"--max-budget-usd", "0.5"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.result()["subtype"], "error_max_budget_usd");
  EXPECT_EQ(ran.requests.size(), 2U) << "no request after the one that spent it";
  EXPECT_EQ(of_subtype(ran, "task_notification").at(0)["status"], "failed");
  EXPECT_TRUE(text_of(first_result(ran)).contains("budget"));
}

TEST(Subagents, TheBudgetEndsOneInTheBackgroundToo) {
  Bench bench(one_agent("", R"({"match":{"system":"You are a subagent"},"text":"More.",
      "tool_use":{"name":"Bash","input":{"command":"echo seen"}},
      "usage":{"input_tokens":10,"output_tokens":100000}})"));
  const auto ran = bench.ask("go", {"--max-budget-usd", "0.5"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.result()["subtype"], "error_max_budget_usd");
  EXPECT_EQ(of_subtype(ran, "task_notification").at(0)["status"], "failed");
}

/// A call that never ends by itself.
std::string hanging_child() {
  return child_steps("ALPHA", "Alpha report", "touch running; sleep 1000 & wait");
}

TEST(Subagents, AnInterruptEndsThem) {
  for (const auto mode : {kWait, std::string_view("")}) {
    Bench bench(one_agent(mode, hanging_child()));
    bench.say("go");
    bench.when("Running touch running", [](Bench& it) {
      it.say_line(
          R"({"type":"control_request","request_id":"r","request":{"subtype":"interrupt"}})");
    });
    bench.when("\"type\":\"result\"", [](Bench& it) { it.hang_up(); });
    const auto ran = bench.converse({"--dangerously-skip-permissions"});
    EXPECT_EQ(ran.code, 1) << ran.err;
    ASSERT_EQ(ran.of_type("result").size(), 1U) << ran.story();
    EXPECT_EQ(ran.result()["subtype"], "error_during_execution") << mode;
    EXPECT_EQ(of_subtype(ran, "task_notification").at(0)["status"], "killed") << mode;
    EXPECT_EQ(ran.result()["subagent_stats"]["killed"]["user"], 1);
    EXPECT_FALSE(ran.out.contains("Later."));
  }
}

TEST(Subagents, TheModelLearnsOfInterruptedOnesWithTheNextMessage) {
  Bench bench(one_agent("", hanging_child()));
  bench.say("go");
  bench.when("Running touch running", [](Bench& it) {
    it.say_line(R"({"type":"control_request","request_id":"r","request":{"subtype":"interrupt"}})");
  });
  bench.when("\"type\":\"result\"", [](Bench& it) {
    it.say("and now?");
    it.hang_up();
  });
  const auto ran = bench.converse({"--dangerously-skip-permissions"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto last = ran.requests.back()["messages"].dump();
  EXPECT_TRUE(last.contains("and now?"));
  EXPECT_TRUE(last.contains("has ended: killed"));
}

TEST(Subagents, SignalsAndALostReaderEndThem) {
  for (const auto mode : {kWait, std::string_view("")}) {
    for (const int number : {SIGINT, SIGTERM, 0}) {
      Bench bench(one_agent(mode, hanging_child()));
      bench.when("Running touch running",
                 [=](Bench& it) { number == 0 ? it.lose_reader() : it.signal(number); });
      const auto ran = bench.ask("go", {"--dangerously-skip-permissions"});
      EXPECT_EQ(ran.code, number == 0 ? 1 : 128 + number) << mode;
      EXPECT_EQ(ran.of_type("result").size(), number == SIGINT ? 1U : 0U) << mode;
      if (number == SIGINT) {
        EXPECT_EQ(ran.result()["is_error"], true) << mode;
      }
    }
  }
}

TEST(Subagents, StartNoSubagents) {
  Bench bench(one_agent(
      kWait,
      R"({"match":{"system":"You are a subagent","tool_result":"No such tool"},"text":"None."},
      {"match":{"system":"You are a subagent"},"tool_use":{"name":"Task","input":{"description":"x","prompt":"y"}}})"));
  const auto ran = bench.ask("go");
  EXPECT_TRUE(text_of(first_result(ran)).contains("\n  None.\n"));
  for (const auto& tool : ran.requests.at(1)["tools"]) EXPECT_NE(tool["name"], "Agent");
  EXPECT_EQ(ran.result()["subagent_stats"]["spawned"], 1);
}

TEST(Subagents, AnUnknownTypeIsAToolError) {
  Bench bench(
      one_agent(R"(,"subagent_type":"nobody")", R"({"match":{"contains":"NEVER"},"text":"x"})"));
  const auto ran = bench.ask("go");
  EXPECT_EQ(text_of(first_result(ran)),
            "<tool_use_error>There is no agent 'nobody'. The agents are: Explore, Plan, "
            "general-purpose</tool_use_error>");
  EXPECT_EQ(ran.of_type("result").size(), 1U);
}

TEST(Subagents, RulesApplyToThem) {
  Bench bench(one_agent(kWait, child_steps("ALPHA", "Alpha report", "touch made; echo seen")));
  auto ran =
      bench.ask("go", {"--permission-mode", "acceptEdits", "--disallowedTools", "Bash(touch *)"});
  EXPECT_FALSE(std::filesystem::exists(bench.work() / "made"));
  EXPECT_EQ(of_subtype(ran, "permission_denied").size(), 1U);
}

TEST(Subagents, RulesAboutTypesHoldForTheDefaultTypeToo) {
  for (const auto* const rule : {"Agent(general-purpose)", "Task(general-purpose)"}) {
    Bench bench(one_agent(kWait, child_steps("ALPHA", "Alpha report")));
    const auto ran = bench.ask("go", {"--disallowedTools", rule});
    EXPECT_EQ(ran.result()["permission_denials"].size(), 1U) << rule;
    EXPECT_TRUE(of_subtype(ran, "task_started").empty()) << rule;
  }
}

TEST(Subagents, AreNotOfferedIfTheirToolIsNot) {
  for (const auto& words : std::vector<std::vector<std::string>>{{"--disallowedTools", "Task"},
                                                                 {"--disallowedTools", "Agent"},
                                                                 {"--tools", "Bash"},
                                                                 {"--bare"}}) {
    Bench bench;
    const auto ran = bench.ask("go", words);
    EXPECT_FALSE(ran.events()[0]["tools"].dump().contains("Task")) << words[0];
  }
  Bench bench;
  EXPECT_EQ(bench.ask("go", {"--tools", "Task,Read"}).events()[0]["tools"],
            Document({"Task", "Read"}));
}

TEST(Subagents, AnAgentOfTheProjectHasItsPromptToolsAndModel) {
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

TEST(Subagents, NeverHaveToolsThatTheSessionMustNotHave) {
  Bench bench(one_agent(R"(,"subagent_type":"reviewer","run_in_background":false)",
                        R"({"match":{"system":"You are a subagent"},"text":"Fine."})"));
  const auto ran =
      bench.ask("go", {"--tools", "Agent,Read", "--agents",
                       R"({"reviewer":{"description":"d","prompt":"p","tools":["Bash","Read"]}})"});
  ASSERT_EQ(ran.requests.at(1)["tools"].size(), 1U);
  EXPECT_EQ(ran.requests.at(1)["tools"][0]["name"], "Read");
}

TEST(Subagents, AFileWithAMistakeIsReportedAndItsAgentCannotBeCalled) {
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

TEST(Subagents, BadDefinitionsOnTheCommandLineEndTheAgent) {
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

TEST(Subagents, ASessionCanWorkAsAnAgent) {
  const std::string agents =
      R"({"reviewer":{"description":"d","prompt":"You are the REVIEWER.","tools":["Read"],"model":"haiku"}})";
  Bench bench;
  const auto ran = bench.ask("go", {"--agents", agents, "--agent", "reviewer"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.events()[0]["tools"], Document({"Read"}));
  EXPECT_EQ(ran.requests[0]["model"], "claude-haiku-5-5");
  EXPECT_TRUE(ran.requests[0]["system"].dump().contains("You are the REVIEWER."));
  const auto unknown = bench.ask("go", {"--agent", "nobody"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_TRUE(unknown.err.contains("--agent 'nobody': there is no such agent")) << unknown.err;
}

TEST(Subagents, AMoreRestrictiveModeOfAnAgentHolds) {
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

TEST(Subagents, TheClientIsAskedWithTheIdOfTheSubagent) {
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
