#include <chrono>

#include <signal.h>

#include "agent/mcp/harness.h"
#include "support/eventually.h"

namespace ralph::mcp {
namespace {

bool runs(const std::string& pid) { return !pid.empty() && ::kill(std::stoi(pid), 0) == 0; }

std::size_t resident_kb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoul(line.substr(6));
  }
  return 0;
}

TEST(McpStdio, CallsTools) {
  Session session;
  const auto log = session.folder / "log";
  ASSERT_EQ(session.start(program("fake", {"log=" + log.string()})), "connected")
      << session.warnings;
  EXPECT_EQ(session.call("mcp__fake__echo", {{"text", "hey"}}), "echo: hey");
  EXPECT_EQ(session.last.content, R"([{"type":"text","text":"echo: hey"}])");
  EXPECT_EQ(session.last.detail, session.last.content);
  EXPECT_EQ(session.call("mcp__fake__fail"), "error: it failed");
  EXPECT_EQ(session.last.detail, R"("Error: it failed")");
  EXPECT_EQ(session.call("mcp__fake__struct"), R"({"a":1})");
  EXPECT_EQ(session.last.detail, R"({"content":"{\"a\":1}","structuredContent":{"a":1}})");
  const auto sent = test::text_of(log);
  EXPECT_TRUE(sent.starts_with(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25")"));
  EXPECT_TRUE(sent.contains(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"));
  EXPECT_TRUE(sent.contains(R"("_meta":{"claudecode/toolUseId":"toolu_1","progressToken":2})"))
      << sent;
}

TEST(McpStdio, ShowsPicturesAndCutsLongText) {
  Session session;
  ASSERT_EQ(session.start(program("fake")), "connected");
  EXPECT_EQ(session.call("mcp__fake__image"), "a pixel");
  const auto blocks = *json::parse(session.last.content);
  ASSERT_EQ(blocks.size(), 2U) << session.last.content;
  EXPECT_EQ(blocks[1]["source"]["media_type"], "image/png");
  const auto text = session.call("mcp__fake__big");
  EXPECT_GT(text.size(), 60'000U);
  EXPECT_LT(text.size(), 130'000U);
  EXPECT_TRUE(text.contains("more than 25000 tokens (MAX_MCP_OUTPUT_TOKENS)"));
}

TEST(McpStdio, AClaimToReadOnlyGrantsNothing) {
  Session session;
  ASSERT_EQ(session.start(program("fake")), "connected");
  const auto* const echo = session.find("mcp__fake__echo");
  const auto* const fail = session.find("mcp__fake__fail");
  EXPECT_TRUE(echo->is_parallel({}));
  EXPECT_FALSE(fail->is_parallel({}));
  const auto decide = [&](permission::Mode mode, const permission::Rules& rules) {
    const auto input = json::Document::object();
    return tool::decide(*echo, input, echo->access(input, session.workspace), mode, rules,
                        session.workspace)
        .allowed;
  };
  using permission::Mode;
  for (const auto mode : {Mode::standard, Mode::accept_edits, Mode::plan, Mode::dont_ask}) {
    EXPECT_FALSE(decide(mode, {}));
  }
  EXPECT_TRUE(decide(Mode::bypass, {}));
  EXPECT_FALSE(decide(Mode::bypass, {.allow = {}, .deny = {"mcp__fake"}, .ask = {}}));
  for (const auto* rule : {"mcp__fake", "mcp__fake__*", "mcp__fake__echo"}) {
    EXPECT_TRUE(decide(Mode::standard, {.allow = {rule}, .deny = {}, .ask = {}})) << rule;
  }
  EXPECT_FALSE(decide(Mode::standard, {.allow = {"mcp__fake__fail"}, .deny = {}, .ask = {}}));
}

TEST(McpStdio, ListsAllPages) {
  Session session;
  ASSERT_EQ(session.start(program("fake", {"pages"})), "connected") << session.warnings;
  EXPECT_EQ(session.servers.tools({}).size(), 18U);
  EXPECT_EQ(session.start(program("endless", {"endless-pages"})), "failed");
  EXPECT_TRUE(
      session.warnings.contains("'endless' (--mcp-config) failed to start: its list of tools "
                                "has no end"))
      << session.warnings;
}

TEST(McpStdio, ToolsWhoseNamesTheApiRefusesAreLeftOut) {
  Session session;
  ASSERT_EQ(session.start(program(std::string(100, 'f'), {"many=1", "long-name"})), "connected");
  for (const auto* tool : session.servers.tools({})) EXPECT_LE(tool->name().size(), 128U);
  EXPECT_EQ(session.servers.tools({}).size(), 19U);
  EXPECT_TRUE(session.warnings.contains("is left out: the API takes names of up to 128 bytes"))
      << session.warnings;
}

TEST(McpStdio, AServerWithoutToolsIsConnected) {
  Session session;
  EXPECT_EQ(session.start(program("fake", {"no-tools"})), "connected");
  EXPECT_TRUE(session.servers.tools({}).empty());
}

TEST(McpStdio, FailuresToStartSayWhy) {
  Session session({.when = SearchPolicy::When::never}, Millis{60'000}, Millis{300});
  auto missing = program("missing");
  missing.command = "/nowhere/server";
  EXPECT_EQ(session.start(missing), "failed");
  EXPECT_TRUE(session.warnings.contains("/nowhere/server")) << session.warnings;
  EXPECT_EQ(session.start(program("silent", {"silent"})), "failed");
  EXPECT_TRUE(session.warnings.contains("no answer within")) << session.warnings;
  Session patient;
  EXPECT_EQ(patient.start(program("exits", {"no-start"})), "failed");
  EXPECT_TRUE(patient.warnings.contains("exited with code 1; stderr: cannot open the database"))
      << patient.warnings;
}

TEST(McpStdio, TextInsteadOfAnswersIsShown) {
  Session session({.when = SearchPolicy::When::never}, Millis{60'000}, Millis{500});
  EXPECT_EQ(session.start(program("chatty", {"garbage-start"})), "failed");
  EXPECT_TRUE(session.warnings.contains("the first: Server is running!")) << session.warnings;
}

TEST(McpStdio, ACrashIsAFailedCall) {
  Session session;
  ASSERT_EQ(session.start(program("fake")), "connected");
  const auto text = session.call("mcp__fake__crash");
  EXPECT_TRUE(text.starts_with("error: The MCP server 'fake' is no longer running")) << text;
  EXPECT_TRUE(text.contains("exited with code 3; stderr: fatal: out of cheese")) << text;
  EXPECT_TRUE(session.call("mcp__fake__echo").contains("no longer running"));
  EXPECT_EQ(session.servers.states()[0].status, ServerStatus::failed);
}

TEST(McpStdio, OddAnswersAreIgnored) {
  Session session;
  ASSERT_EQ(session.start(program("fake")), "connected");
  EXPECT_EQ(session.call("mcp__fake__garbage"), "after garbage");
  EXPECT_EQ(session.call("mcp__fake__other-id-first"), "yours");
  EXPECT_EQ(session.call("mcp__fake__twice"), "first");
  EXPECT_EQ(session.call("mcp__fake__echo", {{"text", "next"}}), "echo: next");
}

TEST(McpStdio, AnswersWithAnotherIdEndInATimeout) {
  Session session({.when = SearchPolicy::When::never}, Millis{200});
  ASSERT_EQ(session.start(program("fake")), "connected");
  EXPECT_TRUE(session.call("mcp__fake__wrong-id").contains("no answer within 200ms"));
  EXPECT_TRUE(session.call("mcp__fake__hang").contains("no answer within 200ms"));
}

TEST(McpStdio, FloodsNeitherFillTheMemoryNorStallTheTurn) {
  const auto before = resident_kb();
  Session session({.when = SearchPolicy::When::never}, Millis{1000});
  ASSERT_EQ(session.start(program("line")), "connected");
  EXPECT_TRUE(session.call("mcp__line__flood-line").contains("a message of more than 16 MB"));
  ASSERT_EQ(session.start(program("notes")), "connected");
  EXPECT_TRUE(session.call("mcp__notes__flood-notes").contains("no answer within 1s"));
  EXPECT_LT(resident_kb(), before + 200'000);
}

TEST(McpStdio, QuestionsOfTheServerAreAnswered) {
  Session session;
  ASSERT_EQ(session.start(program("fake")), "connected");
  const auto heard = session.call("mcp__fake__ask");
  EXPECT_TRUE(heard.contains("id:s1,result:{}")) << heard;
  EXPECT_TRUE(heard.contains("result:{roots:[{uri:file://" + session.folder.path().string()))
      << heard;
  EXPECT_TRUE(heard.contains("error:{code:-32601,message:Method not found}")) << heard;
  EXPECT_EQ(session.call("mcp__fake__ping-flood"), "asked a lot");
}

TEST(McpStdio, ProgressRestartsTheTimeout) {
  Session session({.when = SearchPolicy::When::never}, Millis{2500});
  ASSERT_EQ(session.start(program("fake")), "connected");
  EXPECT_EQ(session.call("mcp__fake__progress"), "at last");
}

TEST(McpStdio, AStopRequestEndsACall) {
  Session session;
  const auto log = session.folder / "log";
  ASSERT_EQ(session.start(program("fake", {"log=" + log.string()})), "connected");
  std::stop_source source;
  const std::jthread stopper([&] {
    EXPECT_TRUE(test::eventually([&] { return test::text_of(log).contains("hang"); }));
    source.request_stop();
  });
  EXPECT_TRUE(session.call("mcp__fake__hang", {}, source.get_token()).contains("interrupted"));
}

TEST(McpStdio, NewToolsAppear) {
  Session session;
  ASSERT_EQ(session.start(program("fake")), "connected");
  EXPECT_EQ(session.find("mcp__fake__extra"), nullptr);
  const auto* const echo = session.find("mcp__fake__echo");
  EXPECT_EQ(session.call("mcp__fake__grow"), "grown");
  EXPECT_EQ(session.call("mcp__fake__extra"), "extra");
  EXPECT_EQ(session.find("mcp__fake__echo"), echo);
}

TEST(McpStdio, EndlessChangesAreEndedWithAWarning) {
  Session session;
  ASSERT_EQ(session.start(program("fake", {"changed"})), "connected");
  for (int i = 0; i < 100; ++i) session.call("mcp__fake__echo");
  EXPECT_TRUE(session.warnings.contains("too many changes")) << session.warnings;
  EXPECT_EQ(session.call("mcp__fake__echo", {{"text", "x"}}), "echo: x");
}

TEST(McpStdio, LargeChangesAreEndedSooner) {
  Session session;
  ASSERT_EQ(session.start(program("fake", {"changed", "wide=3000000"})), "connected");
  for (int i = 0; i < 10; ++i) session.call("mcp__fake__echo");
  EXPECT_TRUE(session.warnings.contains("too many changes")) << session.warnings;
  EXPECT_EQ(session.call("mcp__fake__echo", {{"text", "x"}}), "echo: x");
}

TEST(McpStdio, ServersGetTheirVariables) {
  Session session;
  auto config = program("fake");
  config.env = {{"MCP_TEST_TOKEN", "t1"}};
  ASSERT_EQ(session.start(config), "connected");
  EXPECT_EQ(session.call("mcp__fake__env", {{"text", "MCP_TEST_TOKEN"}}), "t1");
}

TEST(McpStdio, ServersEndWithTheSession) {
  const test::TempFolder folder;
  std::vector<std::string> pids;
  {
    Session session;
    for (const auto* word : {"plain", "ignore-end"}) {
      const auto file = folder / word;
      ASSERT_EQ(session.start(program(word, {word, "pid=" + file.string()})), "connected");
      pids.push_back(test::text_of(file));
      EXPECT_TRUE(runs(pids.back()));
    }
  }
  for (const auto& pid : pids) EXPECT_FALSE(runs(pid)) << pid;
}

TEST(McpServers, StatesSayWhatAServerIsAndOffers) {
  Session session;
  ASSERT_EQ(session.start(program("fake")), "connected");
  const auto state = session.servers.states().at(0);
  EXPECT_EQ(state.name, "fake");
  EXPECT_EQ(state.source, "dynamic");
  EXPECT_EQ(json::text(state.info, "name"), "fake");
  ASSERT_EQ(state.tools.size(), 18U);
  EXPECT_EQ(state.tools.front(), session.find("mcp__fake__echo"));
  EXPECT_EQ(session.start(program("exits", {"no-start"})), "failed");
  EXPECT_TRUE(session.servers.states().at(1).info.is_null());
  EXPECT_TRUE(session.servers.states().at(1).tools.empty());
}

TEST(McpServers, ASecondOneOfTheNameIsLeftOut) {
  Session session;
  EXPECT_EQ(session.start(program("a b")), "connected");
  session.servers.add(program("a b"));
  EXPECT_EQ(session.warnings, "");
  session.servers.add(program("a_b"));
  EXPECT_TRUE(session.warnings.contains("'a_b' of --mcp-config is left out")) << session.warnings;
  EXPECT_EQ(session.servers.states().size(), 1U);
}

}  // namespace
}  // namespace ralph::mcp
