#include <fstream>

#include <unistd.h>

#include "agent/wire/client_exchange.h"

namespace ralph::wire {
namespace {

TEST(ControlRequests, AreAnsweredDuringATurn) {
  Bench bench(kSlow);
  bench.folder().write("work/a.txt", "hello\n");
  bench.folder().write("work/sub/b.txt", "x");
  const std::vector<Document> requests{
      request("get_context_usage"),
      request("get_session_cost"),
      request("get_usage"),
      request("get_settings"),
      request("list_models"),
      request("list_permission_rules"),
      request("get_binary_version"),
      request("read_file", {{"path", "a.txt"}}),
      request("file_suggestions", {{"query", "B.T"}}),
      request("reload_plugins"),
      request("reload_skills"),
      request("reload_output_styles"),
      request("mcp_status"),
      request("mcp_set_servers", {{"servers", Document::object()}}),
      request("background_tasks"),
      request("cancel_async_message", {{"message_uuid", "x"}})};
  const auto ran = ask_during_turn(bench, requests, {"--allowedTools", "Bash(ls *)"});
  std::vector<Document> told;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto answer = answer_to(ran, std::to_string(i));
    EXPECT_EQ(answer["subtype"], "success") << requests[i] << answer;
    told.push_back(answer["response"]);
  }
  for (const auto* key : {"totalTokens", "maxTokens", "rawMaxTokens", "percentage"}) {
    EXPECT_TRUE(told[0][key].is_number()) << key;
  }
  std::int64_t sum = 0;
  for (const auto& category : told[0]["categories"]) sum += category["tokens"].get<std::int64_t>();
  EXPECT_EQ(sum, told[0]["maxTokens"]);
  EXPECT_EQ(told[0]["gridRows"].size(), 10U);
  EXPECT_EQ(told[0]["gridRows"][9].size(), 10U);
  EXPECT_GT(told[0]["totalTokens"].get<int>(), 100) << "system prompt and tools count";
  EXPECT_EQ(told[0]["apiUsage"], nullptr);
  EXPECT_TRUE(told[1].value("text", "").contains("$0.0000")) << told[1];
  EXPECT_EQ(told[2]["session"]["total_cost_usd"], 0);
  EXPECT_EQ(told[2]["rate_limits"], nullptr);
  EXPECT_EQ(told[3]["sources"], Document::array());
  EXPECT_GT(told[4]["models"].size(), 3U);
  EXPECT_EQ(told[5]["state"]["rules"], Document::array({Document{{"behavior", "allow"},
                                                                 {"source", "cliArg"},
                                                                 {"rule", "Bash(ls *)"},
                                                                 {"editability", "session"}}}));
  EXPECT_EQ(told[6]["version"], "2.1.325");
  EXPECT_EQ(told[7]["contents"], "hello\n");
  EXPECT_EQ(told[7]["absPath"], (bench.work() / "a.txt").string());
  EXPECT_EQ(told[7]["lossy"], false);
  EXPECT_EQ(told[8]["suggestions"], Document::array({Document{{"path", "sub/b.txt"}}}));
  EXPECT_EQ(told[9]["error_count"], 0);
  EXPECT_EQ(told[10]["skills"], Document::array());
  EXPECT_EQ(told[11]["available_output_styles"], Document::array({"default"}));
  EXPECT_EQ(told[12]["mcpServers"], Document::array());
  EXPECT_EQ(told[13], Document({{"added", Document::array()},
                                {"removed", Document::array()},
                                {"errors", Document::object()}}));
  EXPECT_EQ(told[14], Document::object());
  EXPECT_EQ(told[15]["cancelled"], false);
  EXPECT_EQ(ran.result()["subtype"], "error_during_execution");
}

TEST(ControlRequests, ThatCannotBeServedAreErrors) {
  Bench bench(kSlow);
  bench.folder().write("secret", "s");
  const std::vector<std::pair<Document, std::string>> cases{
      {request("nonsense"), "Unsupported control request subtype: nonsense"},
      {request("can_use_tool"), "Unsupported control request subtype: can_use_tool"},
      {request("mcp_reconnect", {{"serverName", "x"}}), "Server not found: x"},
      {request("mcp_toggle", {{"serverName", "x"}, {"enabled", true}}), "Server not found: x"},
      {request("rewind_files", {{"user_message_id", "x"}}), "File rewinding is not enabled."},
      {request("read_file", {{"path", "nope"}}), "read denied: nope"},
      {request("read_file", {{"path", "../secret"}}), "read denied: ../secret"},
      {request("read_file", {{"path", "."}}), "read denied: ."},
      {request("read_file"), "read denied: "},
      {request("rename_session"), "rename_session: title must be a string"},
      {request("set_max_thinking_tokens", {{"max_thinking_tokens", "x"}}), "max_thinking_tokens"},
      {request("apply_flag_settings", {{"settings", 5}}), "got number"},
      {request("apply_flag_settings", {{"settings", {{"hooks", Document::object()}}}}), "'hooks'"},
      {request("apply_flag_settings", {{"settings", {{"permissions", {{"deny", {"Bash("}}}}}}}),
       "permissions.deny"},
      {request("set_permission_mode", {{"mode", "nonsense"}}), "must be one of"},
      {request("set_permission_mode"), "must be one of"},
      {request("set_permission_mode", {{"mode", "bypassPermissions"}}), "was not launched"},
      {request("get_task_output", {{"task_id", "x"}}), "task_id"},
      {Document(), "'request' must be an object"},
      {Document("interrupt"), "'request' must be an object"}};
  std::vector<Document> requests;
  for (const auto& [asked, error] : cases) requests.push_back(asked);
  const auto ran = ask_during_turn(bench, requests);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto answer = answer_to(ran, std::to_string(i));
    EXPECT_EQ(answer["subtype"], "error") << cases[i].first;
    EXPECT_TRUE(answer.value("error", "").contains(cases[i].second)) << answer;
  }
  EXPECT_EQ(answer_to(ran, "0")["error_code"], "unsupported_request");
  EXPECT_EQ(answer_to(ran, "14")["error_code"], "invalid_mode");
  EXPECT_EQ(answer_to(ran, "16")["error_code"], "bypass_not_launched");
  EXPECT_EQ(answer_to(ran, "18")["error_code"], "invalid_request");
}

/// The answers to get_task_output and stop_task for a command in the background; `change` gets the file of its output.
std::pair<Document, Document> ask_about_task(
    const std::function<void(const std::string&)>& change) {
  Bench bench(
      R"({"steps":[{"tool_use":{"name":"Bash","input":{"command":"sleep 1000","run_in_background":true}}},
                   {"text":"Done."},{"text":"Later."}]})");
  bench.say("one");
  bench.when("\"type\":\"result\"", [&](Bench& it) {
    const auto started = it.line_with("\"tool_use_result\"")["tool_use_result"];
    const auto task = started.value("backgroundTaskId", "none");
    const auto folder = std::filesystem::recursive_directory_iterator(it.folder().path());
    const auto file = std::ranges::find_if(
        folder, [&](const auto& entry) { return entry.path().filename().string().contains(task); });
    EXPECT_NE(file, std::filesystem::recursive_directory_iterator());
    if (file == std::filesystem::recursive_directory_iterator()) return it.hang_up();
    change(file->path());
    it.ask_agent("o", request("get_task_output", {{"task_id", task}}));
    it.ask_agent("s", request("stop_task", {{"task_id", task}}));
    it.hang_up();
  });
  const auto ran = bench.converse({"--dangerously-skip-permissions"});
  return {answer_to(ran, "o"), answer_to(ran, "s")};
}

TEST(ControlRequests, GetTaskOutputShowsTheEndOfALargeFile) {
  const auto [shown, stopped] = ask_about_task([](const std::string& file) {
    EXPECT_EQ(::truncate(file.c_str(), 100 << 20), 0);
    std::ofstream(file, std::ios::app) << "the end";
  });
  EXPECT_EQ(stopped["subtype"], "success");
  const auto& output = shown["response"];
  EXPECT_TRUE(output.value("output", "").ends_with("the end"));
  EXPECT_EQ(output["output"].get<std::string>().size(), 8192U);
  EXPECT_EQ(output["total_bytes"], (100 << 20) + 7);
  EXPECT_EQ(output["truncated"], true);
}

TEST(ControlRequests, GetTaskOutputThatCannotBeReadIsAnError) {
  const auto [shown, stopped] = ask_about_task([](const std::string& file) {
    std::filesystem::remove(file);
    std::filesystem::create_directory(file);
  });
  EXPECT_EQ(shown["subtype"], "error");
  EXPECT_TRUE(shown.value("error", "").starts_with("get_task_output: ")) << shown;
}

TEST(ControlRequests, ReadFileHonoursRulesAndLimits) {
  Bench bench(kSlow);
  bench.folder().write("work/a.txt", "hello");
  bench.folder().write("work/denied.txt", "x");
  bench.folder().write("work/bytes", "\xff\xfe");
  bench.folder().write("work/.claude/settings.json",
                       R"json({"permissions":{"deny":["Read(denied.txt)"]}})json");
  const auto ran = ask_during_turn(
      bench,
      {request("read_file", {{"path", "a.txt"}, {"max_bytes", 2}, {"encoding", "base64"}}),
       request("read_file", {{"path", "denied.txt"}}), request("read_file", {{"path", "bytes"}}),
       request("file_suggestions", {{"query", ""}}), request("list_permission_rules"),
       request("get_settings")});
  const auto first = answer_to(ran, "0")["response"];
  EXPECT_EQ(first["contents"], "aGU=");
  EXPECT_EQ(first["truncated"], true);
  EXPECT_EQ(first["encoding"], "base64");
  EXPECT_EQ(answer_to(ran, "1")["subtype"], "error");
  EXPECT_EQ(answer_to(ran, "2")["response"]["lossy"], true);
  std::vector<std::string> names;
  const auto suggested = answer_to(ran, "3");
  for (const auto& each : suggested["response"]["suggestions"]) names.push_back(each["path"]);
  EXPECT_EQ(names, (std::vector<std::string>{".claude/", "a.txt", "bytes"}));
  EXPECT_EQ(answer_to(ran, "4")["response"]["state"]["rules"][0]["source"], "projectSettings");
  const auto settings = answer_to(ran, "5")["response"];
  EXPECT_EQ(settings["sources"][0]["source"], "projectSettings");
  EXPECT_EQ(settings["effective"]["permissions"]["deny"], Document::array({"Read(denied.txt)"}));
}

TEST(ControlRequests, ChangeTheNextRequestToTheModel) {
  Bench bench(R"({"steps":[{"text":"one"},{"text":"two"}]})");
  bench.say("one");
  bench.when("\"type\":\"result\"", [](Bench& it) {
    it.ask_agent("m", request("set_model", {{"model", "claude-opus-4-5"}}));
    it.ask_agent("t", request("set_max_thinking_tokens", {{"max_thinking_tokens", 2000}}));
    it.ask_agent("e", request("apply_flag_settings", {{"settings", {{"effortLevel", "low"}}}}));
    it.ask_agent("n", request("rename_session", {{"title", "A name"}}));
    it.ask_agent("s", request("set_has_subscribers", {{"has_subscribers", nullptr}}));
    it.say("two");
    it.hang_up();
  });
  const auto ran = bench.converse();
  EXPECT_EQ(ran.requests.at(1)["model"], "claude-opus-4-5");
  EXPECT_EQ(ran.requests.at(1)["thinking"]["budget_tokens"], 2000) << ran.requests[1]["thinking"];
  EXPECT_EQ(ran.requests.at(1)["output_config"]["effort"], "low");
  EXPECT_EQ(answer_to(ran, "m")["response"]["model"], "claude-opus-4-5");
  for (const auto* id : {"t", "e", "n", "s"}) {
    EXPECT_EQ(answer_to(ran, id)["subtype"], "success") << id;
    EXPECT_FALSE(answer_to(ran, id).contains("response")) << id;
  }
  EXPECT_TRUE(ran.out.contains("Set model to claude-opus-4-5"));
  EXPECT_TRUE(ran.out.contains(R"("subtype":"session_title_changed","title":"A name")"));
  EXPECT_TRUE(read_file(bench.sessions().at(0)).value_or("").contains("A name"));
}

TEST(ControlRequests, FlagRulesTakeThePlaceOfTheOnesBefore) {
  Bench bench(kSlow);
  const auto rules = [](Document list) {
    return request("apply_flag_settings", {{"settings", {{"permissions", {{"deny", list}}}}}});
  };
  const auto ran = ask_during_turn(
      bench, {rules({"Write", "Edit"}), rules({"Bash"}), request("list_permission_rules")},
      {"--disallowedTools", "Glob(x)"});
  std::vector<std::string> left;
  const auto listed = answer_to(ran, "2");
  for (const auto& rule : listed["response"]["state"]["rules"]) {
    left.push_back(rule.value("source", "") + ":" + rule.value("rule", ""));
  }
  EXPECT_EQ(left, (std::vector<std::string>{"cliArg:Glob(x)", "flagSettings:Bash"}));
}

TEST(PermissionMode, IsSwitchedAndReported) {
  Bench bench(R"({"steps":[{"tool_use":{"name":"Write","input":{"file_path":"a","content":"x"}}},
                           {"text":"done"}]})");
  bench.ask_agent("p", request("set_permission_mode", {{"mode", "acceptEdits"}}));
  bench.say("one");
  bench.hang_up();
  const auto ran = bench.converse();
  EXPECT_EQ(answer_to(ran, "p")["response"], Document({{"mode", "acceptEdits"}}));
  EXPECT_TRUE(ran.story().starts_with("control_response system/status system/init")) << ran.story();
  EXPECT_EQ(ran.events()[1]["permissionMode"], "acceptEdits");
  EXPECT_EQ(ran.events()[1]["status"], nullptr);
  EXPECT_EQ(ran.events()[2]["permissionMode"], "acceptEdits");
  EXPECT_TRUE(std::filesystem::exists(bench.work() / "a"));
}

TEST(PermissionMode, BypassNeedsALaunchThatAllowsIt) {
  const auto ask = [](Bench& bench, std::vector<std::string> words) {
    bench.ask_agent("p", request("set_permission_mode", {{"mode", "bypassPermissions"}}));
    bench.hang_up();
    return answer_to(bench.converse(std::move(words)), "p")["subtype"];
  };
  Bench plain, launched, root, forbidden;
  EXPECT_EQ(ask(plain, {}), "error");
  EXPECT_EQ(ask(launched, {"--allow-dangerously-skip-permissions"}), "success");
  root.is_root = true;
  EXPECT_EQ(ask(root, {"--allow-dangerously-skip-permissions"}), "error");
  forbidden.folder().write("home/.claude/settings.json",
                           R"({"permissions":{"disableBypassPermissionsMode":"disable"}})");
  EXPECT_EQ(ask(forbidden, {"--allow-dangerously-skip-permissions"}), "error");
}

TEST(Interrupt, ListsTheMessagesThatStillWait) {
  Bench bench(kSlow);
  bench.say("one", "u1");
  bench.when_asked([](Bench& it) {
    it.say("two", "u2");
    it.say("three", "u3");
    it.ask_agent("c", request("cancel_async_message", {{"message_uuid", "u2"}}));
    it.ask_agent("i", request("interrupt"));
    it.hang_up();
  });
  const auto ran = bench.converse();
  EXPECT_EQ(answer_to(ran, "c")["response"]["cancelled"], true);
  EXPECT_EQ(answer_to(ran, "i")["response"], Document({{"still_queued", {"u3"}}}));
  std::vector<std::string> states;
  for (const auto& event : ran.of_type("command_lifecycle")) {
    states.push_back(event.value("command_uuid", "") + ":" + event.value("state", ""));
  }
  EXPECT_EQ(states, (std::vector<std::string>{"u1:queued", "u1:started", "u2:queued", "u3:queued",
                                              "u2:cancelled", "u1:cancelled", "u3:started",
                                              "u3:completed"}));
  EXPECT_EQ(ran.of_type("result").size(), 2U);
  const auto text = json::write(ran.requests.at(1)["messages"]);
  EXPECT_TRUE(text.contains("three") && !text.contains("\"two\"")) << text;
}

TEST(Interrupt, CanCancelTheMessagesThatWait) {
  Bench bench(kSlow);
  bench.say("one");
  bench.when_asked([](Bench& it) {
    it.say("two", "u2");
    it.ask_agent("i", request("interrupt", {{"cancel_queued", true}}));
    it.hang_up();
  });
  const auto ran = bench.converse();
  EXPECT_EQ(answer_to(ran, "i")["response"],
            Document({{"cancelled", {"u2"}}, {"still_queued", Document::array()}}));
  EXPECT_EQ(ran.of_type("result").size(), 1U);
}

TEST(Interrupt, OfAnIdleAgentIsAnsweredToo) {
  Bench bench;
  bench.ask_agent("i", request("interrupt"));
  bench.say("one");
  bench.hang_up();
  const auto ran = bench.converse();
  EXPECT_EQ(answer_to(ran, "i")["response"], Document({{"still_queued", Document::array()}}));
  EXPECT_EQ(ran.result()["subtype"], "success");
}

/// Clients wait for "idle" once they have read "running".
TEST(ControlRequests, NoSessionStateIsReported) {
  Bench bench;
  bench.set("CLAUDE_CODE_SDK_READS_SESSION_STATE=1");
  bench.say("one");
  bench.hang_up();
  EXPECT_FALSE(bench.converse().out.contains("session_state_changed"));
}

}  // namespace
}  // namespace ralph::wire
