// Clients as programs are: they start our agent, write lines to its stdin and read lines from its stdout.
#include <csignal>
#include <map>

#include <fmt/core.h>

#include "integration/agent_harness.h"
#include "support/eventually.h"

namespace ralph::agent_process {
namespace {

using process::RunHandle;

constexpr std::string_view kWrite =
    R"({"steps":[{"tool_use":{"name":"Write","input":{"file_path":"a.txt","content":"x"}}},
                 {"text":"done"},{"text":"again"}]})";

std::string line(const Document& document) { return json::write(document) + "\n"; }

std::string request(std::string_view id, Document body) {
  return line({{"type", "control_request"}, {"request_id", id}, {"request", std::move(body)}});
}

std::string answer(const Document& asked, const Document& payload) {
  return line(
      {{"type", "control_response"},
       {"response",
        {{"subtype", "success"}, {"request_id", asked["request_id"]}, {"response", payload}}}});
}

bool asks_permission(const Document& event) {
  return event.value("type", "") == "control_request" &&
         event["request"].value("subtype", "") == "can_use_tool";
}

process::Command client_of(const Stage& stage) {
  return stage.talk({"--permission-prompt-tool", "stdio"});
}

TEST(AgentClient, DecidesAboutCalls) {
  Stage stage(kWrite);
  RunHandle agent;
  agent.write(
      request("1", {{"subtype", "initialize"}, {"hooks", nullptr}, {"systemPrompt", {""}}}));
  agent.write(user_line("go"));
  const auto ran =
      stage.run(client_of(stage), agent, each_line([](const auto& event, auto& it) {
                  if (asks_permission(event)) {
                    it.write(answer(event, {{"behavior", "allow"},
                                            {"updatedInput", event["request"]["input"]},
                                            {"toolUseID", "x"}}));
                  }
                  if (event["type"] == "result") it.close_stdin();
                }));
  EXPECT_EQ(ran.code(), 0) << ran.err;
  EXPECT_EQ(test::text_of(stage.work() / "a.txt"), "x");
  EXPECT_EQ(ran.result()["permission_denials"], Document::array());
  EXPECT_EQ(ran.events().front()["type"], "control_response");
  expect_understood(ran.out);
}

TEST(AgentClient, ThatClosesStdinWhileItIsAskedLeavesNothingBehind) {
  Stage stage(kWrite);
  RunHandle agent;
  agent.write(user_line("go"));
  const auto ran = stage.run(client_of(stage), agent, each_line([](const auto& event, auto& it) {
                               if (asks_permission(event)) it.close_stdin();
                             }));
  EXPECT_EQ(ran.code(), 0) << ran.err;
  EXPECT_EQ(ran.result()["permission_denials"].size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(stage.work() / "a.txt"));
}

TEST(AgentClient, ASignalEndsTheAgentWhileItAsks) {
  for (const auto& [number, code] : {std::pair{SIGTERM, 143}, {SIGHUP, 129}}) {
    Stage stage(kWrite);
    RunHandle agent;
    agent.write(user_line("go"));
    const auto ran =
        stage.run(client_of(stage), agent, each_line([number](const auto& event, auto& it) {
                    if (asks_permission(event)) it.send_signal(number);
                  }));
    EXPECT_EQ(ran.code(), code);
    EXPECT_EQ(ran.of_type("result").size(), 0U);
    EXPECT_EQ(stage.requests().size(), 1U);
  }
}

/// Its stdin is open, and nobody reads its stdout.
TEST(AgentClient, ThatReadsNoMoreEndsTheAgentWhileItAsks) {
  Stage stage(kWrite);
  const auto ran = stage.run(stage.command({"/bin/bash", "-c",
                                            R"(mkfifo in; exec 3<>in; printf '%s' "$1" >&3
          ralph agent -p --input-format stream-json --output-format stream-json --verbose \
            --permission-prompt-tool stdio <in 2>err | sed '/can_use_tool/q' >/dev/null
          echo "${PIPESTATUS[0]}")",
                                            "client", user_line("go")}));
  EXPECT_EQ(ran.out, "1\n") << ran.err;
  EXPECT_TRUE(test::text_of(stage.work() / "err").contains("stdout is closed"));
  EXPECT_EQ(stage.requests().size(), 1U);
}

TEST(AgentClient, AnInterruptKillsTheCommandAndTheSessionGoesOn) {
  Stage stage(R"({"steps":[
      {"tool_use":{"name":"Bash","input":{"command":"echo $$ >pid; exec tail -f /dev/null"}}},
      {"text":"after"}]})");
  RunHandle agent;
  agent.write(user_line("go"));
  std::string pid;
  std::size_t results = 0;
  const auto ran = stage.run(
      stage.talk({"--allowedTools", "Bash"}), agent, each_line([&](const auto& event, auto& it) {
        if (event["type"] == "assistant" && results == 0) {
          EXPECT_TRUE(test::eventually(
              [&] { return test::text_of(stage.work() / "pid").ends_with('\n'); }));
          pid = test::text_of(stage.work() / "pid");
          it.write(request("stop", {{"subtype", "interrupt"}}));
        }
        if (event["type"] != "result") return;
        if (++results == 1) {
          EXPECT_NE(::kill(std::stoi(pid), 0), 0) << "the command still runs";
          it.write(user_line("again"));
        } else {
          it.close_stdin();
        }
      }));
  EXPECT_EQ(ran.code(), 0) << ran.err;
  ASSERT_EQ(ran.of_type("result").size(), 2U);
  EXPECT_EQ(ran.of_type("result")[0]["terminal_reason"], "aborted_tools");
  EXPECT_EQ(ran.result()["result"], "after");
  const auto receipt = ran.out.find("still_queued");
  EXPECT_LT(receipt, ran.out.find("error_during_execution"));
  expect_understood(ran.out);
}

TEST(AgentClient, AnInterruptClosesTheConnectionToTheModel) {
  Stage stage(
      R"({"steps":[{"text":"word word ","trouble":{"at":"in_block","do":"silence"}},{"text":"after"}]})");
  RunHandle agent;
  agent.write(user_line("go"));
  std::size_t results = 0;
  bool asked = false;
  const auto ran = stage.run(stage.talk({"--include-partial-messages"}), agent,
                             each_line([&](const auto& event, auto& it) {
                               const bool word = json::write(event).contains("word word");
                               if (word && !std::exchange(asked, true)) {
                                 it.write(request("stop", {{"subtype", "interrupt"}}));
                               }
                               if (event["type"] != "result") return;
                               if (++results == 1) it.write(user_line("again"));
                               if (results == 2) it.close_stdin();
                             }));
  EXPECT_EQ(ran.code(), 0) << ran.err;
  EXPECT_EQ(ran.of_type("result").at(0)["terminal_reason"], "aborted_streaming");
  EXPECT_EQ(ran.result()["result"], "after");
}

TEST(AgentClient, CommandsWorkThroughTheStream) {
  Stage stage(
      R"({"steps":[{"text":"one"},{"text":"the summary"},{"text":"two"},{"text":"three"}]})");
  std::filesystem::create_directories(stage.work() / ".claude/commands");
  ASSERT_TRUE(write_file_atomically(stage.work() / ".claude/commands/fix.md", "Fix $ARGUMENTS."));
  const auto ran = stage.converse(
      client_of(stage), {user_line("/fix this and that"), user_line("/compact keep the names"),
                         user_line("two"), user_line("/clear"), user_line("three")});
  EXPECT_EQ(ran.code(), 0) << ran.err;
  const auto results = ran.of_type("result");
  ASSERT_EQ(results.size(), 5U);
  EXPECT_EQ(ran.of_type("system", "compact_boundary").size(), 1U);
  EXPECT_NE(results[4]["session_id"], results[0]["session_id"]);
  EXPECT_TRUE(json::write(stage.requests()[0]["body"]["messages"]).contains("Fix this and that."));
  EXPECT_TRUE(json::write(stage.requests()[1]["body"]["messages"]).contains("keep the names"));
  EXPECT_FALSE(json::write(stage.requests()[3]["body"]["messages"]).contains("the summary"));
}

}  // namespace
}  // namespace ralph::agent_process
