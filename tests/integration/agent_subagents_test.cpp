// Subagents of our agent as a process, seen by those who start it.
#include "integration/agent_harness.h"

namespace ralph::agent_process {
namespace {

/// Two subagents at once, one in the background; each needs what the other makes.
constexpr std::string_view kTwo = R"({"steps":[
  {"content":[
    {"tool_use":{"name":"Agent","input":{"description":"first","prompt":"ALPHA"}}},
    {"tool_use":{"name":"Task","input":{"description":"second","prompt":"BETA","run_in_background":false}}}]},
  {"text":"Both done."},
  {"match":{"contains":"ALPHA","system":"You are a subagent","tool_result":"seen"},"text":"Alpha report"},
  {"match":{"contains":"BETA","system":"You are a subagent","tool_result":"seen"},"text":"Beta report"},
  {"match":{"contains":"ALPHA","system":"You are a subagent"},"tool_use":{"name":"Bash",
    "input":{"command":"touch a; until [ -e b ]; do sleep 0.01; done; echo seen"}}},
  {"match":{"contains":"BETA","system":"You are a subagent"},"tool_use":{"name":"Bash",
    "input":{"command":"touch b; until [ -e a ]; do sleep 0.01; done; echo seen"}}}]})";

constexpr std::string_view kHangingChild = R"({"steps":[
  {"tool_use":{"name":"Agent","input":{"description":"hang","prompt":"ALPHA","run_in_background":MODE}}},
  {"text":"Started."},
  {"match":{"system":"You are a subagent"},"tool_use":{"name":"Bash",
    "input":{"command":"sleep 1000 & echo $! > pid; echo running; wait"}}}]})";

std::string hanging(std::string_view mode) {
  std::string scenario(kHangingChild);
  return scenario.replace(scenario.find("MODE"), 4, mode);
}

TEST(AgentSubagents, WorkTogetherAndTheHarnessUnderstandsThem) {
  Stage stage(kTwo);
  const auto ran = stage.ask("go", {"--dangerously-skip-permissions"});
  EXPECT_EQ(ran.code(), 0) << ran.err;
  expect_understood(ran.out);
  EXPECT_EQ(ran.of_type("system", "task_started").size(), 2U);
  EXPECT_EQ(ran.of_type("system", "task_notification").size(), 2U);
  EXPECT_EQ(ran.result()["result"], "Both done.");
  EXPECT_EQ(ran.result()["subagent_stats"]["completed"], 2);
  EXPECT_EQ(ran.result()["is_error"], false);
}

/// Whatever ends the agent ends its subagents and their commands.
TEST(AgentSubagents, NothingOfThemIsLeft) {
  for (const auto* const mode : {"true", "false"}) {
    for (const auto& [number, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}}) {
      Stage stage(hanging(mode));
      const auto ran = stage.run(stage.agent({"go", "--dangerously-skip-permissions"}),
                                 [number = number, &stage, sent = false](
                                     std::string_view, process::RunHandle& it) mutable {
                                   // The progress of its call comes before the call; its file tells that the command runs.
                                   const auto deadline =
                                       std::chrono::steady_clock::now() + process::kLongWait;
                                   if (sent || stage.requests().size() < 2) return;
                                   while (test::text_of(stage.work() / "pid").empty() &&
                                          std::chrono::steady_clock::now() < deadline) {
                                     std::this_thread::sleep_for(std::chrono::milliseconds(2));
                                   }
                                   sent = true;
                                   it.send_signal(number);
                                 });
      EXPECT_EQ(ran.code(), code) << mode;
      expect_understood(ran.out);
      const auto pid = std::stoi(test::text_of(stage.work() / "pid"));
      EXPECT_FALSE(std::filesystem::exists(fmt::format("/proc/{}/cwd", pid))) << mode;
    }
  }
}

}  // namespace
}  // namespace ralph::agent_process
