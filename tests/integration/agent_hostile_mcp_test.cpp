// MCP servers that do their worst: the turn goes on after its time limit, the agent stays small, and leaves nothing running.
#include "integration/agent_calls.h"

namespace ralph::agent_process {
namespace {

/// A message of 16 MB is read, so that is more than tools of our own may take.
constexpr std::int64_t kMostKb = 96 << 10;

Ran run_with(const Stage& stage, const std::vector<std::string>& words, std::string_view start,
             std::string_view call) {
  const Document server{{"command", RALPH_BUILD "/fake_mcp_server"}, {"args", words}};
  auto command = stage.agent({"go", "--dangerously-skip-permissions", "--mcp-config",
                              json::write({{"mcpServers", {{"fake", server}}}})});
  command.env.push_back({"MCP_TIMEOUT", std::string(start)});
  command.env.push_back({"MCP_TOOL_TIMEOUT", std::string(call)});
  auto ran = stage.run(command);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(ran.exit.max_rss_kb, kMostKb);
#endif
  return ran;
}

ToolCall call_of(std::string_view tool) { return {tool, Document::object()}; }

/// The server is called again afterwards, whatever state it is in.
TEST(HostileMcpServer, ACallEnds) {
  constexpr std::string_view kSoon = "300", kPatient = "60000", kLate = "no answer within 300ms";
  const struct {
    std::string_view tool, limit, result;
    std::vector<std::string> words = {};
  } cases[] = {
      {"mcp__fake__hang", kSoon, kLate, {"ignore-end"}},
      {"mcp__fake__wrong-id", kSoon, kLate},
      {"mcp__fake__flood-notes", kSoon, kLate},
      {"mcp__fake__flood-line", kPatient, "a message of more than 16 MB"},
      {"mcp__fake__crash", kPatient, "exited with code 3"},
      {"mcp__fake__echo", kPatient, "more than 200000 JSON values", {"dense"}},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.tool);
    Stage stage(script_of({call_of(each.tool), call_of("mcp__fake__echo")}));
    const auto results = expect_finished(run_with(stage, each.words, "60000", each.limit), 2);
    EXPECT_TRUE(results[0].failed);
    EXPECT_TRUE(results[0].text.contains(each.result)) << results[0].text;
  }
}

TEST(HostileMcpServer, AServerThatAnswersTooMuchIsServedOnce) {
  Stage stage(script_of({call_of("mcp__fake__twice"), call_of("mcp__fake__ping-flood"),
                         call_of("mcp__fake__garbage"), call_of("mcp__fake__big")}));
  const auto results = expect_finished(run_with(stage, {}, "60000", "60000"), 4);
  EXPECT_TRUE(results[0].text.contains("first")) << results[0].text;
  EXPECT_TRUE(results[1].text.contains("asked a lot")) << results[1].text;
  EXPECT_TRUE(results[2].text.contains("after garbage")) << results[2].text;
  EXPECT_TRUE(results[3].text.contains("MAX_MCP_OUTPUT_TOKENS"));
}

TEST(HostileMcpServer, AStartEnds) {
  for (const std::string word : {"silent", "garbage-start", "no-start", "endless-pages"}) {
    SCOPED_TRACE(word);
    Stage stage(script_of({bash("echo next")}));
    const auto ran = run_with(stage, {word}, "1000", "60000");
    EXPECT_EQ(expect_finished(ran, 1)[0].text, "next");
    EXPECT_TRUE(ran.err.contains("MCP server 'fake' (--mcp-config) failed to start")) << ran.err;
  }
}

/// Each list of tools is another one of three megabytes.
TEST(HostileMcpServer, ChangesWithoutEndAreEnded) {
  std::vector<ToolCall> calls(20, call_of("mcp__fake__echo"));
  Stage stage(script_of(calls));
  const auto ran = run_with(stage, {"changed", "wide=3000000"}, "60000", "60000");
  expect_finished(ran, calls.size());
  EXPECT_TRUE(ran.err.contains("too many changes")) << ran.err;
}

}  // namespace
}  // namespace ralph::agent_process
