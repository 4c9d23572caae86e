#include <fmt/core.h>

#include "agent/wire/harness.h"

namespace ralph::wire {
namespace {

const std::string kProgram = RALPH_BUILD "/fake_mcp_server";

std::string config(const std::vector<std::string>& words = {}, const std::string& name = "fake") {
  return json::write({{"mcpServers", {{name, {{"command", kProgram}, {"args", words}}}}}});
}

void trust_work(Bench& bench, Document more = Document::object()) {
  more["hasTrustDialogAccepted"] = true;
  bench.folder().write("home/.claude.json",
                       json::write({{"projects", {{bench.work().string(), more}}}}));
}

std::string scenario(std::initializer_list<std::pair<std::string_view, std::string_view>> calls) {
  std::string steps;
  for (const auto& [name, input] : calls) {
    steps += fmt::format(R"({{"tool_use":{{"name":"{}","input":{}}}}},)", name, input);
  }
  return fmt::format(R"({{"steps":[{}{{"text":"Done."}}]}})", steps);
}

std::vector<std::string> tools_of(const Document& request) {
  std::vector<std::string> names;
  for (const auto& tool : request["tools"]) names.push_back(tool["name"]);
  return names;
}

bool contains(const std::vector<std::string>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

/// The servers that `init` shows: "name status source", each.
std::string servers(const Ran& ran) {
  std::string all;
  const auto init = ran.events().at(0);
  for (const auto& server : init["mcp_servers"]) {
    all += fmt::format("{} {} {};", server.value("name", ""), server.value("status", ""),
                       server.value("source", ""));
  }
  return all;
}

TEST(Mcp, ToolsOfAServerAreCalled) {
  Bench bench(scenario({{"mcp__fake__echo", R"({"text":"hey"})"}, {"mcp__fake__fail", "{}"}}));
  const auto ran = bench.ask("go", {"--mcp-config", config(), "--allowedTools", "mcp__fake"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(servers(ran), "fake connected dynamic;");
  EXPECT_TRUE(ran.events()[0]["tools"].dump().contains("\"mcp__fake__echo\""));
  EXPECT_TRUE(contains(tools_of(ran.requests[0]), "mcp__fake__echo"));
  const auto results = ran.of_type("user");
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0]["message"]["content"][0]["content"][0]["text"], "echo: hey");
  EXPECT_EQ(results[0]["tool_use_result"][0]["text"], "echo: hey");
  EXPECT_EQ(results[1]["message"]["content"][0]["content"], "it failed");
  EXPECT_EQ(results[1]["message"]["content"][0]["is_error"], true);
  EXPECT_EQ(results[1]["tool_use_result"], "Error: it failed");
}

TEST(Mcp, CallsNeedPermission) {
  const auto denials = [](const std::vector<std::string>& more) {
    Bench bench(scenario({{"mcp__fake__echo", "{}"}}));
    auto words = more;
    words.insert(words.end(), {"--mcp-config", config()});
    return bench.ask("go", words).result()["permission_denials"].size();
  };
  EXPECT_EQ(denials({}), 1U);
  EXPECT_EQ(denials({"--permission-mode", "acceptEdits"}), 1U);
  EXPECT_EQ(denials({"--permission-mode", "plan"}), 1U);
  EXPECT_EQ(denials({"--allowedTools", "mcp__other"}), 1U);
  EXPECT_EQ(denials({"--allowedTools", "mcp__fake__*"}), 0U);
  EXPECT_EQ(denials({"--dangerously-skip-permissions"}), 0U);
}

TEST(Mcp, DisallowedToolsAreNotOffered) {
  Bench bench;
  const auto ran = bench.ask("go", {"--mcp-config", config(), "--disallowedTools", "mcp__fake"});
  for (const auto& name : tools_of(ran.requests.at(0))) EXPECT_FALSE(name.starts_with("mcp__"));
}

TEST(Mcp, AServerThatFailsIsShownAndTheSessionGoesOn) {
  Bench bench;
  const auto ran = bench.ask("go", {"--mcp-config", config({"no-start"}, "db"), config()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(servers(ran), "db failed dynamic;fake connected dynamic;");
  EXPECT_TRUE(
      ran.err.contains("ralph: MCP server 'db' (--mcp-config) failed to start: it exited "
                       "with code 1; stderr: cannot open the database"))
      << ran.err;
}

TEST(Mcp, ACrashIsAnErrorResult) {
  Bench bench(scenario({{"mcp__fake__crash", "{}"}}));
  const auto ran = bench.ask("go", {"--mcp-config", config(), "--allowedTools", "mcp__fake"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.of_type("user")[0]["message"]["content"][0]["is_error"], true);
}

TEST(Mcp, BrokenConfigurationsStopTheAgent) {
  const auto error = [](const std::vector<std::string>& words) {
    Bench bench;
    trust_work(bench);
    bench.folder().write("work/broken.json", "{");
    bench.folder().write("work/.mcp.json", R"({"mcpServers":{"p":{"command":7}}})");
    bench.folder().write("work/key.json", R"({"mcpServers":{"x":{"command":"a","args":"b"}}})");
    auto all = words;
    for (auto& word : all) {
      if (word.ends_with(".json")) word = (bench.work() / word).string();
    }
    const auto ran = bench.ask("go", all);
    EXPECT_EQ(ran.code, 1);
    EXPECT_TRUE(ran.requests.empty());
    return ran.err;
  };
  const std::string strict = "--strict-mcp-config", given = "--mcp-config";
  EXPECT_TRUE(error({strict, given, "/nowhere"}).contains("'/nowhere'"));
  EXPECT_TRUE(error({strict, given, "broken.json"}).contains("broken.json"));
  EXPECT_TRUE(error({strict, given, "{}"}).contains("key 'mcpServers' is missing"));
  const auto key = error({strict, given, "key.json"});
  EXPECT_TRUE(key.contains("key.json") && key.contains("server 'x': key 'args'")) << key;
  const auto project = error({});
  EXPECT_TRUE(project.contains(".mcp.json: server 'p': key 'command'")) << project;
}

TEST(Mcp, ServersComeFromEveryScope) {
  Bench bench;
  const auto server = [](std::string_view name) {
    return Document{{std::string(name), {{"command", kProgram}}}};
  };
  bench.folder().write(
      "home/.claude.json",
      json::write(
          {{"mcpServers", {{"mine", {{"command", kProgram}}}, {"same", {{"command", "no"}}}}},
           {"projects",
            {{bench.work().string(),
              {{"hasTrustDialogAccepted", true}, {"mcpServers", server("here")}}}}}}));
  bench.folder().write("work/.mcp.json",
                       json::write({{"mcpServers",
                                     {{"same", {{"command", "${FAKE:-" + kProgram + "}"}}},
                                      {"off", {{"command", kProgram}}}}}}));
  const std::vector<std::string> settings{"--settings", R"({"disabledMcpjsonServers":["off"]})"};
  EXPECT_EQ(servers(bench.ask("go", settings)),
            "here connected local;same connected project;mine connected user;");
  EXPECT_EQ(servers(bench.ask("go", {"--strict-mcp-config", "--mcp-config", config()})),
            "fake connected dynamic;");
  auto ran = bench.ask("go", {"--settings", R"({"enabledMcpjsonServers":["off"]})"});
  EXPECT_TRUE(servers(ran).contains("off connected project;")) << servers(ran);
  EXPECT_TRUE(ran.err.contains("enabledMcpjsonServers does not name: same")) << ran.err;
  ran = bench.ask("go", {"--settings",
                         R"({"enabledMcpjsonServers":["off"],"enableAllProjectMcpServers":true})"});
  EXPECT_TRUE(servers(ran).contains("same connected project;")) << servers(ran);
}

TEST(Mcp, ServersOfAnUntrustedRepositoryDoNotRun) {
  Bench bench;
  const auto mark = bench.work() / "started";
  bench.folder().write("work/.mcp.json", config({"pid=" + mark.string()}));
  bench.folder().write("work/.claude/settings.json", R"({"enableAllProjectMcpServers":true})");
  const auto ran = bench.ask("go");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(servers(ran), "");
  EXPECT_FALSE(std::filesystem::exists(mark));
  EXPECT_TRUE(ran.err.contains("Ignoring MCP servers (1)") && ran.err.contains("ralph trust"))
      << ran.err;
  bench.folder().write("work/.mcp.json", "{broken");
  EXPECT_EQ(bench.ask("go").code, 0);
}

/// Trust in a directory is not trust in those above it.
TEST(Mcp, ServersOfAParentNeedTrustOfTheParent) {
  Bench bench;
  trust_work(bench);
  bench.folder().write(".mcp.json", config());
  const auto ran = bench.ask("go");
  EXPECT_EQ(servers(ran), "");
  EXPECT_TRUE(ran.err.contains("Ignoring MCP servers (1)")) << ran.err;
}

TEST(Mcp, ManyToolsAreSearched) {
  Bench bench(scenario({{"ToolSearch", R"({"query":"select:mcp__fake__tool_042"})"},
                        {"mcp__fake__tool_042", "{}"}}));
  const auto ran =
      bench.ask("go", {"--mcp-config", config({"many=100"}), "--allowedTools", "mcp__fake"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  ASSERT_EQ(ran.requests.size(), 3U);
  EXPECT_EQ(tools_of(ran.requests[0]),
            (std::vector<std::string>{"Agent", "Bash", "Edit", "NotebookEdit", "Read", "TaskStop",
                                      "ToolSearch", "Write"}));
  EXPECT_EQ(tools_of(ran.requests[1]).back(), "mcp__fake__tool_042");
  EXPECT_EQ(ran.requests[1]["tools"], ran.requests[2]["tools"]);
  EXPECT_EQ(ran.events()[0]["tools"].size(), 126U);
  EXPECT_EQ(
      texts(Document{{"content", ran.of_type("user")[1]["message"]["content"][0]["content"]}}),
      "called tool_042");
}

/// What --agent lists is offered at once; nothing else is.
TEST(Mcp, AnAgentHasTheToolsItLists) {
  const auto offered = [](const char* listed) {
    Bench bench;
    const auto ran = bench.ask(
        "go",
        {"--mcp-config", config({"many=100"}), "--agent", "one", "--agents",
         fmt::format(R"({{"one":{{"description":"d","prompt":"p","tools":[{}]}}}})", listed)});
    EXPECT_EQ(servers(ran), "fake connected dynamic;") << ran.err;
    return tools_of(ran.requests.at(0));
  };
  EXPECT_EQ(offered(R"("Read")"), (std::vector<std::string>{"Read"}));
  EXPECT_EQ(offered(R"("Read","mcp__fake__tool_042")"),
            (std::vector<std::string>{"Read", "mcp__fake__tool_042"}));
  EXPECT_GT(offered(R"("mcp__fake")").size(), 100U);
}

TEST(Mcp, TheSearchCanBeSwitchedOffOrOn) {
  const auto count = [](const std::string& value, const std::vector<std::string>& more) {
    Bench bench;
    bench.set("ENABLE_TOOL_SEARCH=" + value);
    auto words = more;
    words.insert(words.end(), {"--mcp-config", config({"many=100"})});
    return tools_of(bench.ask("go", words).requests.at(0)).size();
  };
  EXPECT_EQ(count("", {}), 8U);
  EXPECT_EQ(count("true", {}), 8U);
  EXPECT_EQ(count("false", {}), 125U);
  EXPECT_EQ(count("auto:50", {}), 125U);
  EXPECT_EQ(count("auto:0", {}), 8U);
  EXPECT_EQ(count("", {"--tools", "Read"}), 119U);
  EXPECT_EQ(count("", {"--tools", "Read,ToolSearch"}), 2U);
}

TEST(Mcp, NewToolsAreInTheNextRequest) {
  Bench bench(scenario({{"mcp__fake__grow", "{}"}}));
  const auto ran = bench.ask("go", {"--mcp-config", config(), "--allowedTools", "mcp__fake"});
  ASSERT_EQ(ran.requests.size(), 2U);
  EXPECT_FALSE(contains(tools_of(ran.requests[0]), "mcp__fake__extra"));
  EXPECT_TRUE(contains(tools_of(ran.requests[1]), "mcp__fake__extra"));
}

/// What a server inside the client answers.
Document client_server(const Document& request) {
  const auto& message = request["message"];
  const auto method = message.value("method", "");
  Document answer{{"jsonrpc", "2.0"}, {"id", 0}};
  if (message.contains("id")) answer["id"] = message["id"];
  answer["result"] = Document::object();
  if (method == "initialize") {
    answer["result"] = {{"protocolVersion", "2025-11-25"},
                        {"capabilities", {{"tools", Document::object()}}},
                        {"serverInfo", {{"name", "inside"}, {"version", "1"}}}};
  }
  if (method == "tools/list") {
    answer["result"] = {{"tools", Document::array({Document{{"name", "add"}}})}};
  }
  if (method == "tools/call") {
    answer["result"] = {
        {"content", Document::array({Document{{"type", "text"}, {"text", "the sum"}}})}};
  }
  return {{"mcp_response", answer}};
}

TEST(Mcp, ServersInsideTheClientAreReachedThroughIt) {
  for (const bool by_option : {false, true}) {
    Bench bench(scenario({{"mcp__calc__add", "{}"}}));
    bench.answer_requests("mcp_message", client_server);
    std::vector<std::string> words{"--allowedTools", "mcp__calc"};
    if (by_option) {
      words.insert(words.end(),
                   {"--mcp-config", R"({"mcpServers":{"calc":{"type":"sdk","name":"calc"}}})"});
    } else {
      bench.say_line(
          R"({"type":"control_request","request_id":"1","request":{"subtype":"initialize","sdkMcpServers":["calc"]}})");
    }
    bench.when("\"type\":\"result\"", [](Bench& it) {
      it.say_line(
          R"({"type":"control_request","request_id":"2","request":{"subtype":"mcp_status"}})");
      it.hang_up();
    });
    bench.say("go");
    const auto ran = bench.converse(words);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.of_type("user")[0]["message"]["content"][0]["content"][0]["text"], "the sum");
    const auto status = ran.of_type("control_response").back()["response"]["response"];
    EXPECT_EQ(status["mcpServers"][0]["status"], "connected");
    EXPECT_EQ(status["mcpServers"][0]["serverInfo"]["name"], "inside");
    EXPECT_EQ(status["mcpServers"][0]["tools"][0]["name"], "add");
  }
}

TEST(Mcp, AClientReplacesItsServers) {
  Bench bench;
  const auto request = [](std::string_view id, const Document& servers) {
    return json::write({{"type", "control_request"},
                        {"request_id", id},
                        {"request", {{"subtype", "mcp_set_servers"}, {"servers", servers}}}});
  };
  const Document server{{"command", kProgram}};
  bench.say_line(request("1", {{"a", server}, {"b", server}, {"c", 7}}));
  bench.say_line(request("2", {{"b", server}}));
  bench.say("go");
  bench.hang_up();
  const auto ran = bench.converse();
  const auto answers = ran.of_type("control_response");
  ASSERT_EQ(answers.size(), 2U);
  const auto first = answers[0]["response"]["response"],
             second = answers[1]["response"]["response"];
  EXPECT_EQ(first["added"], Document({"a", "b"}));
  EXPECT_TRUE(first["errors"]["c"].get<std::string>().contains("not an object"));
  EXPECT_EQ(second["added"], Document::array());
  EXPECT_EQ(second["removed"], Document({"a"}));
  const auto init = ran.of_type("system").at(0);
  ASSERT_EQ(init["mcp_servers"].size(), 1U);
  EXPECT_EQ(init["mcp_servers"][0]["name"], "b");
}

TEST(Mcp, AToolOfAServerIsAskedForPermission) {
  for (const auto& [tool, denials] : {std::pair{"mcp__fake__approve", 0U},
                                      {"mcp__fake__refuse", 1U},
                                      {"mcp__fake__echo", 1U},
                                      {"mcp__fake__fail", 1U},
                                      {"mcp__none__none", 1U}}) {
    Bench bench(scenario({{"Write", R"({"file_path":"a.txt","content":"x"})"}}));
    const auto ran =
        bench.ask("go", {"--mcp-config", config({"approver"}), "--permission-prompt-tool", tool});
    EXPECT_EQ(ran.result()["permission_denials"].size(), denials) << tool;
    EXPECT_EQ(std::filesystem::exists(bench.work() / "a.txt"), denials == 0) << tool;
  }
}

/// A client that hangs up before the first turn cannot answer.
TEST(Mcp, AClientThatIsGoneHasNoServers) {
  Bench bench;
  bench.say_line(
      R"({"type":"control_request","request_id":"1","request":{"subtype":"initialize","sdkMcpServers":["calc"]}})");
  bench.say("go");
  bench.hang_up();
  const auto ran = bench.converse();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(ran.err.contains("MCP server 'calc'")) << ran.err;
  EXPECT_EQ(ran.of_type("system").at(0)["mcp_servers"][0]["status"], "failed");
}

TEST(Mcp, AnInterruptEndsACallThatHangs) {
  Bench bench(scenario({{"mcp__fake__hang", "{}"}}));
  const auto log = bench.folder() / "log";
  bench.when("\"type\":\"assistant\"", [&](Bench& it) {
    it.say_line(R"({"type":"control_request","request_id":"1","request":{"subtype":"interrupt"}})");
    it.hang_up();
  });
  bench.say("go");
  const auto ran = bench.converse({"--mcp-config", config(), "--allowedTools", "mcp__fake"});
  EXPECT_EQ(ran.result()["subtype"], "error_during_execution") << ran.out;
}

}  // namespace
}  // namespace ralph::wire
