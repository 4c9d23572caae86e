#include <condition_variable>

#include "agent/wire/harness.h"

/// A client that decides about calls, from its own side.
namespace ralph::wire {
namespace {

constexpr std::string_view kWrites =
    R"({"steps":[{"tool_use":{"name":"Write","input":{"file_path":"a.txt","content":"x"}}},
                 {"tool_use":{"name":"Write","input":{"file_path":"b.txt","content":"x"}}},
                 {"text":"done"}]})";
const std::vector<std::string> kAsks{"--permission-prompt-tool", "stdio"};

Ran talk(Bench& bench, std::vector<std::string> more = {}) {
  bench.say("go");
  bench.when("\"type\":\"result\"", [](Bench& it) { it.hang_up(); });
  auto words = kAsks;
  words.insert(words.end(), more.begin(), more.end());
  return bench.converse(words);
}

/// The blocks with results of the calls, in order.
std::vector<Document> results_of(const Ran& ran) {
  std::vector<Document> results;
  for (const auto& event : ran.of_type("user")) {
    for (const auto& block : event["message"]["content"]) {
      if (block.is_object() && block.value("type", "") == "tool_result") results.push_back(block);
    }
  }
  return results;
}

bool exists(const Bench& bench, std::string_view name) {
  return std::filesystem::exists(bench.work() / name);
}

TEST(CanUseTool, SaysWhatTheCallIs) {
  Bench bench(kWrites);
  std::vector<Document> asked;
  bench.on_request("can_use_tool", [&](const Document& request) {
    asked.push_back(request);
    return Document{{"behavior", "allow"}, {"updatedInput", request["input"]}};
  });
  const auto ran = talk(bench);
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0]["tool_name"], "Write");
  EXPECT_EQ(asked[0]["display_name"], "Write");
  EXPECT_EQ(asked[0]["description"], "a.txt");
  EXPECT_EQ(asked[0]["input"]["file_path"], (bench.work() / "a.txt").string());
  EXPECT_EQ(asked[0]["permission_suggestions"],
            Document::array({Document{
                {"type", "setMode"}, {"mode", "acceptEdits"}, {"destination", "session"}}}));
  EXPECT_FALSE(asked[0].value("tool_use_id", "").empty());
  EXPECT_TRUE(exists(bench, "a.txt") && exists(bench, "b.txt"));
  EXPECT_EQ(ran.result()["permission_denials"], Document::array());
}

TEST(CanUseTool, ADenialIsTheResultOfTheCall) {
  Bench bench(kWrites);
  bench.on_request("can_use_tool", [](const Document& request) {
    const bool first = request["input"].value("file_path", "").ends_with("a.txt");
    return first ? Document{{"behavior", "deny"}, {"message", "Not this one."}}
                 : Document{{"behavior", "allow"}};
  });
  const auto ran = talk(bench);
  EXPECT_EQ(results_of(ran).at(0)["content"], "Not this one.");
  EXPECT_EQ(results_of(ran).at(0)["is_error"], true);
  EXPECT_EQ(ran.result()["permission_denials"].size(), 1U);
  EXPECT_EQ(ran.result()["subtype"], "success");
  EXPECT_FALSE(ran.out.contains("permission_denied")) << "the client decided itself";
  EXPECT_FALSE(exists(bench, "a.txt"));
  EXPECT_TRUE(exists(bench, "b.txt"));
}

TEST(CanUseTool, ADenialCanEndTheTurn) {
  Bench bench(R"({"steps":[{"content":[
      {"tool_use":{"name":"Write","input":{"file_path":"a.txt","content":"x"}}},
      {"tool_use":{"name":"Write","input":{"file_path":"b.txt","content":"x"}}}]},
      {"text":"again"}]})");
  int asked = 0;
  bench.on_request("can_use_tool", [&](const Document&) {
    ++asked;
    return Document{{"behavior", "deny"}, {"message", "Stop."}, {"interrupt", true}};
  });
  const auto ran = talk(bench);
  EXPECT_EQ(asked, 1) << "no more is asked";
  EXPECT_EQ(ran.requests.size(), 1U);
  EXPECT_EQ(ran.result()["subtype"], "error_during_execution");
  EXPECT_EQ(ran.result()["terminal_reason"], "aborted_tools");
  EXPECT_EQ(results_of(ran).size(), 2U);
  EXPECT_TRUE(ran.out.contains("[Request interrupted by user for tool use]"));
  EXPECT_FALSE(exists(bench, "a.txt") || exists(bench, "b.txt"));
}

TEST(CanUseTool, AnErrorAnswerDenies) {
  Bench bench(kWrites);
  bench.on_request("can_use_tool", [](const Document&) { return Document("kaput"); });
  const auto ran = talk(bench);
  EXPECT_EQ(results_of(ran).at(0)["content"], "Tool permission request failed: Error: kaput");
  EXPECT_EQ(ran.result()["subtype"], "success");
  EXPECT_EQ(ran.result()["permission_denials"].size(), 2U);
  EXPECT_FALSE(ran.out.contains("permission_denied\""));
  EXPECT_FALSE(exists(bench, "a.txt"));
}

TEST(CanUseTool, TheClientCanChangeTheInput) {
  Bench bench(kWrites);
  bench.on_request("can_use_tool", [](const Document& request) {
    auto input = request["input"];
    input["content"] = "changed";
    return Document{{"behavior", "allow"}, {"updatedInput", input}};
  });
  talk(bench);
  EXPECT_EQ(read_file(bench.work() / "a.txt").value_or(""), "changed");
}

TEST(CanUseTool, RulesOfAnAnswerHoldForTheSession) {
  for (const auto& update :
       {Document{{"type", "setMode"}, {"mode", "acceptEdits"}, {"destination", "session"}},
        Document{{"type", "addRules"},
                 {"behavior", "allow"},
                 {"destination", "session"},
                 {"rules", Document::array({Document{{"toolName", "Write"}}})}}}) {
    Bench bench(kWrites);
    int asked = 0;
    bench.on_request("can_use_tool", [&](const Document&) {
      ++asked;
      return Document{{"behavior", "allow"}, {"updatedPermissions", Document::array({update})}};
    });
    const auto ran = talk(bench);
    EXPECT_EQ(asked, 1) << update;
    EXPECT_TRUE(exists(bench, "b.txt"));
    EXPECT_EQ(ran.story().contains("system/status"), update["type"] == "setMode");
  }
}

TEST(CanUseTool, AnAnswerWithARuleThatIsNoneDeniesTheCall) {
  Bench bench(kWrites);
  bench.on_request("can_use_tool", [&](const Document&) {
    const Document update{{"type", "addRules"},
                          {"behavior", "deny"},
                          {"rules", Document::array({Document{{"toolName", "Bash(rm"}}})}};
    return Document{{"behavior", "allow"}, {"updatedPermissions", Document::array({update})}};
  });
  const auto ran = talk(bench);
  EXPECT_TRUE(results_of(ran).at(0).value("content", "").contains("an entry that is not a rule"))
      << results_of(ran).at(0);
  EXPECT_FALSE(exists(bench, "a.txt"));
}

TEST(CanUseTool, ALateAnswerIsFineAndOthersAreIgnored) {
  Bench bench(kWrites);
  std::string id;
  bench.answer_agent("nobody", {{"behavior", "allow"}});
  bench.when("\"subtype\":\"can_use_tool\"", [&](Bench& it) {
    it.answer_agent("nobody", {{"behavior", "allow"}});
    it.ask_agent("x", {{"subtype", "initialize"}});
  });
  bench.when("\"pending_permission_requests\":[{", [&](Bench& it) {
    const auto line = it.line_with("\"subtype\":\"can_use_tool\"");
    const auto pending = it.line_with("\"pending_permission_requests\":[{");
    id = line.value("request_id", "");
    EXPECT_EQ(pending["response"]["pending_permission_requests"], Document::array({line}));
    EXPECT_FALSE(exists(it, "a.txt"));
    it.answer_agent(id, {{"behavior", "deny"}, {"message", "first"}});
    it.answer_agent(id, {{"behavior", "allow"}});
    it.on_request("can_use_tool", [](const Document&) { return Document{{"behavior", "allow"}}; });
  });
  const auto ran = talk(bench);
  EXPECT_EQ(results_of(ran).at(0)["content"], "first");
  EXPECT_FALSE(exists(bench, "a.txt"));
  EXPECT_TRUE(exists(bench, "b.txt"));
}

/// The client takes its question off the screen before it hears that the turn is over.
TEST(CanUseTool, AnInterruptWithdrawsTheQuestion) {
  Bench bench(kWrites);
  bench.when("\"subtype\":\"can_use_tool\"",
             [](Bench& it) { it.ask_agent("i", {{"subtype", "interrupt"}}); });
  const auto ran = talk(bench);
  EXPECT_EQ(ran.story(),
            "system/init assistant control_request control_cancel_request control_response user "
            "user result/error_during_execution");
  EXPECT_EQ(ran.of_type("control_cancel_request").at(0)["request_id"],
            ran.of_type("control_request").at(0)["request_id"]);
  EXPECT_EQ(ran.result()["permission_denials"].size(), 1U);
  EXPECT_FALSE(exists(bench, "a.txt"));
}

TEST(CanUseTool, TheSessionGoesOnAfterAnInterrupt) {
  Bench bench(kWrites);
  bench.when("\"subtype\":\"can_use_tool\"", [](Bench& it) {
    it.on_request("can_use_tool", [](const Document&) { return Document{{"behavior", "allow"}}; });
    it.ask_agent("i", {{"subtype", "interrupt"}});
  });
  bench.say("go");
  bench.when("error_during_execution", [](Bench& it) { it.say("again"); });
  bench.when("\"result\":\"done\"", [](Bench& it) { it.hang_up(); });
  const auto ran = bench.converse(kAsks);
  EXPECT_EQ(ran.of_type("result").size(), 2U);
  EXPECT_EQ(ran.result()["subtype"], "success");
  EXPECT_TRUE(exists(bench, "b.txt"));
}

/// Nobody can answer any more: the call is denied, the turn ends as usual, the agent exits.
TEST(CanUseTool, AClientThatClosesStdinDeniesWhatItWasAsked) {
  Bench bench(kWrites);
  bench.say("go");
  bench.when("\"subtype\":\"can_use_tool\"", [](Bench& it) { it.hang_up(); });
  const auto ran = bench.converse(kAsks);
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.of_type("control_request").size(), 1U) << "asked again";
  EXPECT_EQ(ran.result()["permission_denials"].size(), 2U);
  EXPECT_FALSE(exists(bench, "a.txt"));
}

TEST(CanUseTool, WithoutStdinAndStdoutTheAgentExitsAtOnce) {
  Bench bench(kWrites);
  bench.say("go");
  bench.when("\"subtype\":\"can_use_tool\"", [](Bench& it) {
    it.stop_reading();
    it.lose_reader();
    it.hang_up();
  });
  const auto ran = bench.converse(kAsks);
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.requests.size(), 1U);
}

TEST(CanUseTool, SignalsEndTheAgentWhileItAsks) {
  for (const auto& [number, code] : {std::pair{SIGTERM, 143}, {SIGHUP, 129}}) {
    Bench bench(kWrites);
    bench.say("go");
    bench.when("\"subtype\":\"can_use_tool\"", [number](Bench& it) { it.signal(number); });
    const auto ran = bench.converse(kAsks);
    EXPECT_EQ(ran.code, code);
    EXPECT_EQ(ran.of_type("result").size(), 0U);
    EXPECT_EQ(ran.requests.size(), 1U);
  }
}

constexpr std::string_view kQuestion =
    R"({"questions":[{"question":"Which?","header":"H","options":[{"label":"A","description":"a"},
        {"label":"B","description":"b"}]}]})";

TEST(AskUserQuestion, BringsTheAnswersToTheModel) {
  Bench bench(R"({"steps":[{"tool_use":{"name":"AskUserQuestion","input":)" +
              std::string(kQuestion) + R"(}},{"text":"done"}]})");
  Document asked;
  bench.on_request("can_use_tool", [&](const Document& request) {
    asked = request;
    auto input = request["input"];
    input["answers"] = {{"Which?", "B"}};
    return Document{{"behavior", "allow"}, {"updatedInput", input}};
  });
  const auto ran = talk(bench, {"--permission-mode", "bypassPermissions"});
  EXPECT_EQ(asked["requires_user_interaction"], true);
  EXPECT_EQ(asked["input"], *json::parse(kQuestion));
  EXPECT_TRUE(results_of(ran).at(0).value("content", "").contains("\"Which?\"=\"B\""));
  const auto events = ran.of_type("user");
  EXPECT_EQ(events.at(0)["tool_use_result"]["answers"], Document({{"Which?", "B"}}));
}

TEST(AskUserQuestion, IsOfferedOnlyToThoseWhoCanAsk) {
  const auto offers = [](std::vector<std::string> words) {
    Bench bench;
    const auto tools = json::write(bench.ask("hi", std::move(words)).events()[0]["tools"]);
    return tools.contains("AskUserQuestion") && tools.contains("EnterPlanMode") &&
           tools.contains("ExitPlanMode");
  };
  EXPECT_TRUE(offers(kAsks));
  EXPECT_TRUE(offers({"--permission-prompt-tool", "mcp__a__b"}));
  EXPECT_FALSE(offers({}));
  EXPECT_FALSE(offers({"--permission-prompt-tool", "stdio", "--permission-prompts", "none"}));
  EXPECT_FALSE(offers({"--permission-prompt-tool", "stdio", "--tools", "Read"}));
}

TEST(PlanMode, EndsWithTheApprovalOfThePlan) {
  Bench bench(R"({"steps":[{"tool_use":{"name":"EnterPlanMode","input":{}}},
      {"tool_use":{"name":"ExitPlanMode","input":{"plan":"1. Do it."}}},
      {"tool_use":{"name":"Write","input":{"file_path":"a.txt","content":"x"}}},
      {"text":"done"}]})");
  std::vector<Document> asked;
  bench.on_request("can_use_tool", [&](const Document& request) {
    asked.push_back(request);
    return Document{{"behavior", "allow"}, {"updatedInput", request["input"]}};
  });
  const auto ran = talk(bench, {"--permission-mode", "acceptEdits"});
  ASSERT_EQ(asked.size(), 1U) << "entering is not asked about, and afterwards edits are accepted";
  EXPECT_EQ(asked[0]["tool_name"], "ExitPlanMode");
  EXPECT_EQ(asked[0]["input"], Document({{"plan", "1. Do it."}}));
  std::vector<std::string> modes;
  for (const auto& event : ran.of_type("system")) {
    if (event["subtype"] == "status") modes.push_back(event.value("permissionMode", ""));
  }
  EXPECT_EQ(modes, (std::vector<std::string>{"plan", "acceptEdits"}));
  EXPECT_TRUE(exists(bench, "a.txt"));
}

TEST(PlanMode, StaysWhenThePlanIsDeclined) {
  Bench bench(R"({"steps":[{"tool_use":{"name":"ExitPlanMode","input":{"plan":"p"}}},
                           {"text":"done"},{"text":"again"}]})");
  bench.on_request("can_use_tool", [](const Document&) {
    return Document{{"behavior", "deny"}, {"message", "Longer."}};
  });
  const auto ran = talk(bench, {"--permission-mode", "plan"});
  EXPECT_EQ(results_of(ran).at(0)["content"], "Longer.");
  EXPECT_FALSE(ran.story().contains("system/status"));
  EXPECT_TRUE(texts(ran.requests.at(0)["messages"].back()).contains("Plan mode is on"));
}

/// The user approves and chooses the mode in one step.
TEST(PlanMode, TheAnswerCanSetAnotherMode) {
  Bench bench(R"({"steps":[{"tool_use":{"name":"ExitPlanMode","input":{"plan":"p"}}},
                           {"text":"done"}]})");
  bench.on_request("can_use_tool", [](const Document&) {
    return Document{{"behavior", "allow"},
                    {"updatedInput", {{"plan", "p, changed"}}},
                    {"updatedPermissions",
                     Document::array({Document{{"type", "setMode"}, {"mode", "acceptEdits"}}})}};
  });
  const auto ran = talk(bench, {"--permission-mode", "plan"});
  EXPECT_EQ(ran.out.find("\"permissionMode\":\"default\""), ran.out.npos);
  EXPECT_TRUE(results_of(ran).at(0).value("content", "").contains("approved"));
}

TEST(PlanMode, ThereIsNothingToLeaveOutsideOfIt) {
  Bench bench(R"({"steps":[{"tool_use":{"name":"ExitPlanMode","input":{"plan":"p"}}},
                           {"text":"done"}]})");
  bench.on_request("can_use_tool", [](const Document&) -> std::optional<Document> {
    ADD_FAILURE() << "asked";
    return std::nullopt;
  });
  const auto ran = talk(bench);
  EXPECT_TRUE(results_of(ran).at(0).value("content", "").contains("not in plan mode"));
}

TEST(PromptTool, ThatIsMissingDeniesWithItsName) {
  Bench bench(kWrites);
  const auto ran = bench.ask("go", {"--permission-prompt-tool", "mcp__gate__ask"});
  EXPECT_TRUE(results_of(ran).at(0).value("content", "").contains("mcp__gate__ask"));
  EXPECT_EQ(ran.result()["permission_denials"].size(), 2U);
  EXPECT_FALSE(exists(bench, "a.txt"));
}

}  // namespace
}  // namespace ralph::wire
