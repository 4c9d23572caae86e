#include "agent/wire/subagent_steps.h"

namespace ralph::wire {
namespace {

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

TEST(Subagents, TextsAreForwardedIfTheClientAsks) {
  for (const bool asked : {true, false}) {
    Bench bench(one_agent(kWait, child_steps("ALPHA", "Alpha report")));
    bench.ask_agent("i", {{"subtype", "initialize"}, {"forwardSubagentText", asked}});
    bench.say("go");
    bench.hang_up();
    EXPECT_EQ(bench.converse().out.contains("Looking."), asked);
  }
}

TEST(Subagents, WorkInABackgroundAndTheResultWaitsForThem) {
  Bench bench(one_agent(
      "", child_steps("ALPHA", "Alpha report", "until [ -e go ]; do sleep 0.01; done; echo seen")));
  bench.when("\"text\":\"Done.\"", [](Bench& it) {
    EXPECT_FALSE(it.printed().contains("\"type\":\"result\""));
    it.folder().write("work/go", "");
  });
  const auto ran = bench.ask("go", {"--dangerously-skip-permissions"});
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
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
    EXPECT_EQ(of_subtype(ran, "task_notification").at(0)["status"], "stopped") << mode;
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

TEST(Subagents, EndWithTheSessionThatIsCleared) {
  Bench bench(one_agent("", hanging_child()));
  bench.say("go");
  bench.when("Running touch running", [](Bench& it) {
    it.say("/clear");
    it.say("and now?");
    it.hang_up();
  });
  const auto ran = bench.converse({"--dangerously-skip-permissions"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto results = ran.of_type("result");
  ASSERT_EQ(results.size(), 3U) << ran.story();
  EXPECT_EQ(results[0]["subtype"], "error_during_execution");
  EXPECT_EQ(results[0]["session_id"], ran.events()[0]["session_id"]);
  EXPECT_EQ(results[1]["local_command"], "clear");
  EXPECT_NE(results[1]["session_id"], results[0]["session_id"]);
  EXPECT_EQ(results[1]["total_cost_usd"], 0);
  EXPECT_EQ(results[2]["result"], "Later.");
  EXPECT_EQ(of_subtype(ran, "background_tasks_changed").back()["tasks"], Document::array());
  EXPECT_FALSE(ran.requests.back()["messages"].dump().contains("has ended"));
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

/// The permission mode and the user belong to the session.
TEST(Subagents, NeitherAskTheUserNorChangeTheMode) {
  Bench bench(one_agent(kWait, child_steps("ALPHA", "Alpha report")));
  const auto ran = bench.ask("go", {"--permission-prompt-tool", "stdio"});
  const auto names = [&](std::size_t request) { return ran.requests.at(request)["tools"].dump(); };
  for (const auto* const tool : {"AskUserQuestion", "EnterPlanMode", "ExitPlanMode"}) {
    EXPECT_TRUE(names(0).contains(tool)) << tool;
    EXPECT_FALSE(names(1).contains(tool)) << tool;
  }
}

TEST(Subagents, AHookThatForbidsOneOrFailsKeepsItFromRunning) {
  for (const auto* const command : {"exit 2", "./no-such-hook"}) {
    Bench bench(one_agent(kWait, child_steps("ALPHA", "Alpha report")));
    const Document hook{{"hooks", Document::array({{{"type", "command"}, {"command", command}}})}};
    const Document hooks{{"SubagentStart", Document::array({hook})}};
    const auto ran = bench.ask("go", {"--settings", json::write({{"hooks", hooks}})});
    EXPECT_EQ(ran.requests.size(), 2U) << command;
    EXPECT_TRUE(text_of(first_result(ran)).contains("A hook prevents this subagent"))
        << text_of(first_result(ran));
    EXPECT_TRUE(of_subtype(ran, "task_started").empty()) << command;
  }
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
    EXPECT_FALSE(ran.events()[0]["tools"].dump().contains("\"Task\"")) << words[0];
  }
  Bench bench;
  EXPECT_EQ(bench.ask("go", {"--tools", "Task,Read"}).events()[0]["tools"],
            Document({"Task", "Read"}));
}

}  // namespace
}  // namespace ralph::wire
