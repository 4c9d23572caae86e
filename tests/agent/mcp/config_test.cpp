#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/mcp/server_config.h"
#include "agent/mcp/tool_definition.h"

namespace ralph::mcp {
namespace {

using Kind = ServerConfig::Kind;

std::optional<std::string> variable(std::string_view name) {
  if (name == "KEY") return "k1";
  if (name == "EMPTY") return "";
  return std::nullopt;
}

Result<std::vector<ServerConfig>> read(std::string_view servers) {
  return read_servers(*json::parse(servers), "a.json", "project", variable);
}

std::string error_of(std::string_view servers) {
  const auto result = read(servers);
  return result ? "none" : result.error().message;
}

TEST(McpConfig, ReadsEveryKind) {
  const auto servers = read(R"({
      "a":{"command":"${KEY}/x","args":["${NONE:-d}","$KEY","${not a name}"],"env":{"T":"${KEY}"},"timeout":50},
      "b":{"type":"http","url":"https://h/${KEY}","headers":{"Authorization":"Bearer ${KEY}"}},
      "c":{"type":"sse","url":"http://h"}, "d":{"type":"sdk","name":"d"}})");
  ASSERT_TRUE(servers) << describe(servers.error());
  ASSERT_EQ(servers->size(), 4U);
  const auto& [a, b, c, d] = std::tie((*servers)[0], (*servers)[1], (*servers)[2], (*servers)[3]);
  EXPECT_EQ(a.command, "k1/x");
  EXPECT_EQ(a.args, (std::vector<std::string>{"d", "$KEY", "${not a name}"}));
  EXPECT_EQ(a.env, (ServerConfig::Pairs{{"T", "k1"}}));
  EXPECT_EQ(a.timeout, Millis{50});
  EXPECT_EQ(b.kind, Kind::http);
  EXPECT_EQ(b.headers[0].second, "Bearer k1");
  EXPECT_EQ(c.kind, Kind::sse);
  EXPECT_EQ(d.kind, Kind::client);
  EXPECT_EQ(d.source, "project");
}

TEST(McpConfig, AnEmptyVariableIsSet) {
  EXPECT_EQ(expand_variables("<${EMPTY:-x}>", variable).value(), "<>");
  EXPECT_EQ(expand_variables("${KEY", variable).value(), "${KEY");
}

TEST(McpConfig, ErrorsNameFileServerAndKey) {
  const auto names = [](std::string_view servers, std::string_view key) {
    const auto error = error_of(servers);
    const bool named = error.contains("a.json") && error.contains("'x'") && error.contains(key);
    EXPECT_TRUE(named) << error;
  };
  names(R"({"x":1})", "not an object");
  names(R"({"x":{}})", "'command': it is missing");
  names(R"({"x":{"command":""}})", "'command': it is empty");
  names(R"({"x":{"command":1}})", "'command'");
  names(R"({"x":{"command":"a","args":"b"}})", "'args'");
  names(R"({"x":{"command":"a","args":[1]}})", "'args'");
  names(R"({"x":{"command":"a","env":{"A":1}}})", "'env.A'");
  names(R"({"x":{"command":"a","env":{"A=":"1"}}})", "'env'");
  names(R"({"x":{"command":"${NONE}"}})", "NONE");
  names(R"({"x":{"type":"ftp"}})", "'type'");
  names(R"({"x":{"url":"http://h"}})", "'type'");
  names(R"({"x":{"type":"http"}})", "'url'");
  names(R"({"x":{"type":"http","url":"file:///x"}})", "'url'");
  names(R"({"x":{"type":"http","url":"http://h","headers":{"A b":"c"}}})", "'headers'");
  names(R"({"x":{"type":"http","url":"http://h","headers":{"A":"c\r\nB: d"}}})", "'headers'");
  EXPECT_TRUE(error_of("[]").contains("mcpServers"));
}

TEST(McpNames, AreNormalized) {
  EXPECT_EQ(tool_name("my server", "do.it"), "mcp__my_server__do_it");
}

/// The rule "mcp__a" covers every tool whose name begins with "mcp__a__".
TEST(McpNames, OfServersCannotBeTakenForEachOther) {
  for (const auto* name : {"a", "my server", "a-b_c", "_a"}) EXPECT_TRUE(check_server_name(name));
  for (const auto* name : {"a__b", "a. b", "a_", "a!", ""}) EXPECT_FALSE(check_server_name(name));
  EXPECT_FALSE(check_server_name(std::string(101, 'a')));
  EXPECT_TRUE(error_of(R"({"a__b":{"command":"x"}})").contains("'__'"));
}

TEST(McpNames, DefinitionsAreMadeAcceptable) {
  const auto read_one = [](std::string_view text) { return read_tool(*json::parse(text), "s"); };
  EXPECT_FALSE(read_one("1"));
  EXPECT_FALSE(read_one(R"({"name":""})"));
  const auto plain = read_one(R"({"name":"a"})");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->schema, R"({"type":"object","properties":{}})");
  EXPECT_FALSE(plain->read_only);
  const auto odd = read_one(
      R"({"name":"a","inputSchema":{"oneOf":[{}],"properties":{"x":{}}},"annotations":{"readOnlyHint":true}})");
  EXPECT_EQ(odd->schema, R"({"properties":{"x":{}},"type":"object"})");
  EXPECT_TRUE(odd->read_only);
  const auto wordy = read_tool({{"name", "a"}, {"description", std::string(5000, 'd')}}, "s");
  EXPECT_LT(wordy->description.size(), 2100U);
}

}  // namespace
}  // namespace ralph::mcp
