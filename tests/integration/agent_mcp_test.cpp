// MCP servers of our agent as a process of its own.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "integration/agent_harness.h"
#include "support/eventually.h"

namespace ralph::agent_process {
namespace {

std::string server_config(const std::vector<std::string>& words) {
  return json::write(
      {{"mcpServers", {{"fake", {{"command", RALPH_BUILD "/fake_mcp_server"}, {"args", words}}}}}});
}

constexpr std::string_view kCallEcho =
    R"({"steps":[{"tool_use":{"name":"mcp__fake__echo","input":{"text":"hey"}}},{"text":"Done."}]})";

bool is_running(const std::string& pid) { return !pid.empty() && ::kill(std::stoi(pid), 0) == 0; }

TEST(AgentMcp, UnderTheNameOfClaude) {
  Stage stage(kCallEcho);
  const auto pid = stage.folder() / "pid";
  const auto config = stage.folder() / "servers.json";
  ASSERT_TRUE(write_file_atomically(config, server_config({"pid=" + pid.string()}), 0600));
  const auto ran = stage.run(
      stage.command({"claude", "-p", "go", "--output-format", "stream-json", "--verbose",
                     "--mcp-config", config.string(), "--allowedTools", "mcp__fake__echo"}));
  EXPECT_EQ(ran.code(), 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  const auto init = ran.of_type("system", "init").at(0);
  EXPECT_EQ(json::write(init["mcp_servers"]),
            R"([{"name":"fake","status":"connected","source":"dynamic"}])");
  EXPECT_EQ(json::write(ran.of_type("user").at(0)["message"]["content"][0]["content"]),
            R"([{"type":"text","text":"echo: hey"}])");
  EXPECT_EQ(ran.result()["result"], "Done.");
  EXPECT_EQ(ran.exit.strays, 0);
  expect_understood(ran.out);
}

/// Nothing of ours owns the agent here, so that only its own guard can end the server.
TEST(AgentMcp, AServerEndsWithAKilledAgent) {
  Stage stage(R"({"steps":[{"tool_use":{"name":"mcp__fake__hang","input":{}}},{"text":"Done."}]})");
  const auto pid_file = stage.folder() / "pid", log = stage.folder() / "log";
  auto command = stage.agent(
      {"go", "--dangerously-skip-permissions", "--mcp-config",
       server_config({"ignore-end", "pid=" + pid_file.string(), "log=" + log.string()})});
  std::vector<std::string> variables;
  for (const auto& change : command.env) {
    if (change.value) variables.push_back(change.name + "=" + *change.value);
  }
  std::vector<char*> words, environment;
  for (auto& word : command.argv) words.push_back(word.data());
  for (auto& variable : variables) environment.push_back(variable.data());
  words.push_back(nullptr);
  environment.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addchdir_np(&files, stage.work().c_str());
  pid_t agent = -1;
  ASSERT_EQ(::posix_spawn(&agent, words[0], &files, nullptr, words.data(), environment.data()), 0);
  ::posix_spawn_file_actions_destroy(&files);
  EXPECT_TRUE(
      test::eventually([&] { return read_file(log).value_or("").contains(R"("name":"hang")"); }));
  const auto server = read_file(pid_file).value_or("");
  EXPECT_TRUE(is_running(server));
  ::kill(agent, SIGKILL);
  int status = 0;
  ::waitpid(agent, &status, 0);
  EXPECT_TRUE(test::eventually([&] { return !is_running(server); }));
}

}  // namespace
}  // namespace ralph::agent_process
