#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/mcp/message_impl.h"
#include "agent/mcp/message_lines.h"
#include "core/json/field.h"

namespace ralph::mcp {
namespace {

TEST(McpMessage, ReadsEachKind) {
  const auto messages = read_messages(
      R"([{"id":1,"result":{"a":1}},{"id":2,"error":{"code":-5,"message":"no"}},
          {"id":"x","method":"ping"},{"method":"notifications/progress","params":{"p":1}}])");
  ASSERT_EQ(messages.size(), 4U);
  EXPECT_EQ(std::get<Answer>(messages[0]).id, 1);
  EXPECT_EQ(json::integer(*std::get<Answer>(messages[0]).result, "a"), 1);
  EXPECT_EQ(std::get<Answer>(messages[1]).result.error().message, "MCP error -5: no");
  EXPECT_EQ(std::get<ServerRequest>(messages[2]).id, "\"x\"");
  EXPECT_EQ(std::get<Notification>(messages[3]).method, "notifications/progress");
}

TEST(McpMessage, LeavesOutWhatIsNone) {
  for (const auto* text :
       {"", "hello", "1", "[]", "[1,[2]]", "{}", R"({"id":1})", R"({"id":"1","result":{}})",
        R"({"id":1.5,"result":{}})", R"({"id":null,"result":{}})", R"({"id":[1],"method":"ping"})",
        R"({"id":true,"method":"ping"})", R"({"method":1})"}) {
    EXPECT_TRUE(read_messages(text).empty()) << text;
  }
}

std::string repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

TEST(McpMessage, TooManyValuesAreAFailedAnswer) {
  const auto many = repeated("[],", 300'000) + "0";
  const auto messages = read_messages(R"({"result":{"a":[)" + many + R"(]},"id":7})");
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(std::get<Answer>(messages[0]).id, 7);
  EXPECT_EQ(std::get<Answer>(messages[0]).result.error().message,
            "its answer has more than 200000 JSON values");
  EXPECT_TRUE(read_messages(R"({"method":"a","params":[)" + many + "]}").empty());
  EXPECT_TRUE(read_messages(R"([{"id":7,"result":[)" + many + "]}]").empty());
}

TEST(McpMessage, ALongTextIsOneValue) {
  const auto text = repeated(R"(,[{\"\\)", 100'000);
  const auto messages = read_messages(R"({"id":7,"result":{"a":")" + text + R"("}})");
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(json::text(*std::get<Answer>(messages[0]).result, "a").size(), 500'000U);
}

TEST(McpMessage, WritesOneLine) {
  EXPECT_EQ(request_json(7, "a", {{"b", "c\nd"}}),
            R"({"jsonrpc":"2.0","id":7,"method":"a","params":{"b":"c\nd"}})");
  EXPECT_EQ(request_json(7, "a", nullptr), R"({"jsonrpc":"2.0","id":7,"method":"a"})");
  EXPECT_EQ(notification_json("n", nullptr), R"({"jsonrpc":"2.0","method":"n"})");
  EXPECT_EQ(answer_json("\"x\"", "{}"), R"({"jsonrpc":"2.0","id":"x","result":{}})");
  EXPECT_EQ(refusal_json("1", -32601, "no"),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}})");
}

TEST(McpLines, ChunksDoNotMatter) {
  const std::string text = "one\r\n\n  \ntwo\nthree";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    MessageLines lines(10);
    std::string seen;
    for (std::size_t at = 0; at < text.size(); at += size) {
      ASSERT_TRUE(lines.feed(std::string_view(text).substr(at, size),
                             [&](std::string_view line) { (seen += line) += '|'; }));
    }
    EXPECT_EQ(seen, "one|two|") << size;
  }
}

TEST(McpLines, ALongLineIsAnError) {
  MessageLines lines(1 << 20);
  const std::string block(65536, 'x');
  int fed = 0;
  while (lines.feed(block, [](std::string_view) {})) ++fed;
  EXPECT_EQ(fed, 16);
}

}  // namespace
}  // namespace ralph::mcp
