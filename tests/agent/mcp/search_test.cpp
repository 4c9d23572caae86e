#include "agent/mcp/harness.h"
#include "agent/tool/token_estimate.h"

namespace ralph::mcp {
namespace {

using When = SearchPolicy::When;

std::vector<std::string> offered(Session& session) {
  std::vector<std::string> names;
  for (const auto* tool : session.servers.tools({})) {
    if (session.servers.is_offered(*tool)) names.emplace_back(tool->name());
  }
  return names;
}

TEST(McpSearch, AHundredToolsCostAFewHundredTokens) {
  Session session(SearchPolicy{});
  ASSERT_EQ(session.start(program("fake", {"many=100"})), "connected");
  EXPECT_EQ(session.servers.tools({}).size(), 119U);
  EXPECT_EQ(offered(session), std::vector<std::string>{"ToolSearch"});
  const auto definition = tool::definition(*session.find("ToolSearch"));
  EXPECT_LT(tool::estimated_tokens(definition), 1000) << definition;
  EXPECT_TRUE(definition.contains("tool_042"));
}

TEST(McpSearch, FewToolsAreOfferedAtOnce) {
  Session session(SearchPolicy{});
  ASSERT_EQ(session.start(program("fake")), "connected");
  EXPECT_EQ(offered(session).size(), 18U);
  EXPECT_EQ(session.find("ToolSearch"), nullptr);
  Session never({.when = When::never});
  ASSERT_EQ(never.start(program("fake", {"many=100"})), "connected");
  EXPECT_EQ(offered(never).size(), 118U);
}

TEST(McpSearch, LoadsByNameAndByWords) {
  Session session({.when = When::always});
  ASSERT_EQ(session.start(program("fake", {"many=20"})), "connected");
  const auto search = [&](const std::string& query, int most = 5) {
    return session.call("ToolSearch", {{"query", query}, {"max_results", most}});
  };
  EXPECT_TRUE(search("select:mcp__fake__echo, mcp__fake__none")
                  .contains("There is no tool mcp__fake__none."));
  EXPECT_EQ(offered(session), (std::vector<std::string>{"mcp__fake__echo", "ToolSearch"}));
  EXPECT_TRUE(search("ECHO fail", 1).contains("- mcp__fake__echo: The tool echo of the tests."));
  EXPECT_EQ(offered(session).size(), 2U);
  search("tool_0", 3);
  EXPECT_EQ(offered(session).size(), 5U);
  EXPECT_EQ(search("+nothing echo"), "No tool matches.");
  EXPECT_EQ(json::integer(*json::parse(session.last.detail), "total_deferred_tools"), 38);
}

/// A model may know the tool from an earlier session.
TEST(McpSearch, AToolThatWasNotLoadedCanBeCalled) {
  Session session({.when = When::always});
  ASSERT_EQ(session.start(program("fake")), "connected");
  EXPECT_EQ(session.call("mcp__fake__echo", {{"text", "x"}}), "echo: x");
  EXPECT_EQ(offered(session), std::vector<std::string>{"ToolSearch"});
  EXPECT_TRUE(session.call("mcp__fake__fail").contains("they are shown from now on"));
  EXPECT_EQ(offered(session), (std::vector<std::string>{"mcp__fake__fail", "ToolSearch"}));
  EXPECT_EQ(session.call("mcp__fake__fail"), "error: it failed");
}

TEST(McpSearch, TheListFollowsTheTools) {
  Session session({.when = When::always});
  ASSERT_EQ(session.start(program("fake")), "connected");
  const auto* const before = session.find("ToolSearch");
  EXPECT_EQ(session.find("ToolSearch"), before);
  session.call("mcp__fake__grow");
  const auto* const after = session.find("ToolSearch");
  EXPECT_NE(after, before);
  EXPECT_TRUE(after->description().contains("extra"));
}

}  // namespace
}  // namespace ralph::mcp
