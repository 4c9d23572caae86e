#include <fmt/core.h>
#include <unistd.h>

#include "bench/bench.h"
#include "core/base/file.h"
#include "mock/server.h"
#include "system/process/child.h"
#include "system/process/supervise.h"

namespace ralph::bench {
namespace {

using Folder = std::filesystem::path;
using Words = std::vector<std::string>;

constexpr int kTurns = 1000, kSubagents = 10;
constexpr double kMostMbOfTurns = 60, kMostMbOfSubagents = 40;

constexpr std::string_view kTurn = R"({"then":"start_again","steps":[
  {"tool_use":{"name":"mcp__fake__echo","input":{"text":"hey"}}},{"text":"Done."}]})";
constexpr std::string_view kHooks = R"({"hooks":{
  "UserPromptSubmit":[{"hooks":[{"type":"command","command":"echo >>hooks"}]}],
  "PreToolUse":[{"hooks":[{"type":"command","command":"echo >>hooks"}]}],
  "PostToolUse":[{"hooks":[{"type":"command","command":"echo >>hooks"}]}],
  "Stop":[{"hooks":[{"type":"command","command":"echo >>hooks"}]}]}})";
constexpr std::size_t kHooksOfATurn = 4;

constexpr std::string_view kUserLine = R"({"type":"user","message":{"role":"user","content":"hi"}})"
                                       "\n";

/// Our agent in a directory of its own; what it uses at most.
class Sessions {
 public:
  explicit Sessions(Folder build)
      : build_(std::move(build)),
        folder_(std::filesystem::temp_directory_path() /
                fmt::format("ralph-bench-sessions-{}", ::getpid())) {}
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;
  ~Sessions() { clear(); }

  /// Megabytes of a session in which each turn calls a tool of an MCP server and runs hooks. Negative: it went wrong.
  double turns(int count);
  /// Megabytes of a session with so many subagents, none of which ends before all of them work.
  double subagents(int count);

 private:
  using OnOutput = std::function<void(std::string_view, process::RunHandle&)>;
  void clear() const {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  double run(std::string_view scenario, const Words& more, process::RunHandle& handle,
             const OnOutput& on_output) const;

  Folder build_, folder_;
};

double Sessions::run(std::string_view scenario, const Words& more, process::RunHandle& handle,
                     const OnOutput& on_output) const {
  clear();
  auto read = mock::read_scenario(scenario, "scenario");
  if (!read || !make_folders(folder_ / "home") || !make_folders(folder_ / "work")) return -1;
  const auto server = mock::Server::start(*std::move(read), {});
  if (!server) return -1;
  process::Command command;
  command.argv = {"/usr/bin/env",
                  "-i",
                  "PATH=/usr/local/bin:/usr/bin:/bin",
                  "LANG=C.UTF-8",
                  "ANTHROPIC_API_KEY=sk-ant-fake-bench-0000000000",
                  "IS_SANDBOX=1",
                  fmt::format("ANTHROPIC_BASE_URL={}", (*server)->url()),
                  fmt::format("HOME={}", (folder_ / "home").native()),
                  (build_ / "ralph").native(),
                  "agent",
                  "-p",
                  "--input-format",
                  "stream-json",
                  "--output-format",
                  "stream-json",
                  "--verbose"};
  command.argv.insert(command.argv.end(), more.begin(), more.end());
  command.cwd = folder_ / "work";
  command.input = process::StdinOpen{};
  auto child = process::start(command);
  if (!child) return -1;
  const auto out = [&](std::string_view bytes) -> Result<> {
    on_output(bytes, handle);
    return {};
  };
  const auto exit = process::supervise(*std::move(child), {out, {}, {}, {}}, handle, {});
  return exit.exit_code == 0 ? static_cast<double>(exit.max_rss_kb) / 1024 : -1;
}

double Sessions::turns(int count) {
  const auto servers = fmt::format(R"({{"mcpServers":{{"fake":{{"command":"{}"}}}}}})",
                                   (build_ / "fake_mcp_server").native());
  process::RunHandle handle;
  handle.write(kUserLine);
  std::string turn;
  int results = 0, calls = 0;
  const double mb = run(
      kTurn,
      {"--settings", std::string(kHooks), "--mcp-config", servers, "--allowedTools", "mcp__fake"},
      handle, [&](std::string_view bytes, process::RunHandle& agent) {
        turn += bytes;
        if (!turn.ends_with('\n') || !turn.contains(R"({"type":"result")")) return;
        if (turn.contains("echo: hey")) ++calls;
        turn.clear();
        if (++results < count) return agent.write(kUserLine);
        agent.close_stdin();
      });
  const auto hooks = read_file(folder_ / "work" / "hooks").value_or("").size();
  const bool good = results == count && calls == count &&
                    hooks == kHooksOfATurn * static_cast<std::size_t>(count);
  return good ? mb : -1;
}

double Sessions::subagents(int count) {
  std::string calls, children;
  for (int i = 0; i < count; ++i) {
    calls += fmt::format(
        R"({}{{"tool_use":{{"name":"Agent","input":{{"description":"d","prompt":"TASK-{}-","run_in_background":false}}}}}})",
        i == 0 ? "" : ",", i);
    children += fmt::format(
        R"(,{{"match":{{"contains":"TASK-{0}-","system":"You are a subagent"}},"tool_use":{{"name":"Bash","input":
           {{"command":"touch ready-{0}; until [ $(ls | wc -l) = {1} ]; do sleep 0.01; done; echo seen"}}}}}})",
        i, count);
  }
  const auto scenario = fmt::format(
      R"({{"steps":[{{"content":[{}]}},{{"text":"Done."}},
         {{"match":{{"system":"You are a subagent","tool_result":"seen"}},"text":"A report."}}{}]}})",
      calls, children);
  process::RunHandle handle;
  handle.write(kUserLine);
  handle.close_stdin();
  std::string all;
  const double mb = run(scenario, {"--dangerously-skip-permissions"}, handle,
                        [&](std::string_view bytes, process::RunHandle&) { all += bytes; });
  return all.contains(fmt::format(R"("completed":{},)", count)) ? mb : -1;
}

}  // namespace

void measure_sessions(Table& table, const Folder& build) {
  Sessions sessions(build);
  const auto add = [&](std::string what, double mb, std::string_view one, double one_mb,
                       double most) {
    table.add({std::move(what), fmt::format("{:.1f} MB", mb),
               fmt::format("{} {:.1f} MB", one, one_mb), fmt::format("under {:.0f} MB", most),
               one_mb > 0 && mb > 0 && mb < most});
  };
  const double one_turn = sessions.turns(1), turns = sessions.turns(kTurns);
  add("ralph agent, 1,000 turns with hooks and MCP", turns, "one turn", one_turn, kMostMbOfTurns);
  const double one = sessions.subagents(1), all = sessions.subagents(kSubagents);
  add("ralph agent, ten subagents at once", all, "one subagent", one, kMostMbOfSubagents);
}

}  // namespace ralph::bench
