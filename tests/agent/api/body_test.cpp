#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/api/request.h"
#include "core/json/document.h"

namespace ralph::api {
namespace {

const std::string kMark = R"(,"cache_control":{"type":"ephemeral"})";

json::Document parsed(const Request& request) {
  const auto body = body_of(request);
  EXPECT_EQ(body.find('\n'), body.npos);
  auto document = json::parse(body);
  EXPECT_TRUE(document) << body;
  return document.value_or(json::Document{});
}

/// The last block of one user message, as it is sent.
std::string sent_content(const std::string& content) {
  const std::vector<Message> messages{{Role::user, content}};
  const auto body = body_of({.messages = messages});
  const std::string start = R"("messages":[{"role":"user","content":)";
  const auto at = body.find(start) + start.size();
  EXPECT_TRUE(json::parse(body)) << body;
  return body.substr(at, body.size() - at - 3);
}

TEST(ApiBody, AllItsKeys) {
  const std::vector<Message> messages{{Role::user, R"([{"type":"text","text":"Hi"}])"}};
  const Request request{
      .shape = {"m", 99, ThinkingMode::adaptive, 0, "updates", "low", {"ignored-here"}},
      .system = {"one", "", "two\n\"three\""},
      .tools = R"([{"name":"A"},{"name":"B"}])",
      .messages = messages,
      .user_id = "me"};
  EXPECT_EQ(
      body_of(request),
      R"({"model":"m","max_tokens":99,"stream":true,"thinking":{"type":"adaptive","display":"updates"},)"
      R"("output_config":{"effort":"low"},"metadata":{"user_id":"me"},"tools":[{"name":"A"},{"name":"B"}],)"
      R"("system":[{"type":"text","text":"one"},{"type":"text","text":"two\n\"three\"")" +
          kMark + R"(}],"messages":[{"role":"user","content":[{"type":"text","text":"Hi")" + kMark +
          "}]}]}");
}

TEST(ApiBody, TheLeastOfIt) {
  EXPECT_EQ(body_of({.shape = {.model = "m"}, .stream = false}),
            R"({"model":"m","max_tokens":32000,"stream":false,"messages":[]})");
}

TEST(ApiBody, Thinking) {
  Request request;
  request.shape.thinking = ThinkingMode::disabled;
  auto body = parsed(request);
  EXPECT_EQ(body["thinking"], json::Document({{"type", "disabled"}}));
  EXPECT_EQ(body["temperature"], 1);
  request.shape.thinking = ThinkingMode::enabled;
  request.shape.thinking_budget = 1'234;
  body = parsed(request);
  EXPECT_EQ(body["thinking"], json::Document({{"type", "enabled"}, {"budget_tokens", 1'234}}));
  EXPECT_FALSE(body.contains("temperature"));
}

TEST(ApiBody, WithoutSystemTheLastToolIsMarked) {
  const Request request{.system = {""}, .tools = R"([{"name":"A"},{"name":"B","x":{"y":[1]}}])"};
  const auto body = parsed(request);
  EXPECT_FALSE(body.contains("system"));
  EXPECT_FALSE(body["tools"][0].contains("cache_control"));
  EXPECT_TRUE(body["tools"][1].contains("cache_control"));
}

TEST(ApiBody, TheLastTwoUserMessagesAreMarked) {
  const std::string content = R"([{"type":"text","text":"a"},{"type":"text","text":"b"}])";
  const std::vector<Message> messages{{Role::user, content},
                                      {Role::assistant, content},
                                      {Role::user, content},
                                      {Role::assistant, content},
                                      {Role::user, content}};
  const auto body = parsed({.messages = messages});
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const bool marked = i == 2 || i == 4;
    EXPECT_FALSE(body["messages"][i]["content"][0].contains("cache_control")) << i;
    EXPECT_EQ(body["messages"][i]["content"][1].contains("cache_control"), marked) << i;
  }
  EXPECT_EQ(body_of({.messages = messages, .cache_marks = false}).find("cache_control"),
            std::string::npos);
}

TEST(ApiBody, TheLastMessageOfAConversationIsNotMarked) {
  const std::string content = R"([{"type":"text","text":"a"}])";
  const std::vector<Message> messages{
      {Role::user, content}, {Role::assistant, content}, {Role::user, content}};
  const auto body = parsed({.messages = messages, .is_last = true});
  EXPECT_TRUE(body["messages"][0]["content"][0].contains("cache_control"));
  EXPECT_FALSE(body["messages"][2]["content"][0].contains("cache_control"));
}

TEST(ApiBody, MarksOfAnHourAndNone) {
  const std::vector<Message> messages{{Role::user, R"([{"type":"text","text":"a"}])"}};
  Request request{.system = {"s"}, .messages = messages};
  request.shape.caching = Caching::hour;
  const json::Document hour{{"type", "ephemeral"}, {"ttl", "1h"}};
  EXPECT_EQ(parsed(request)["system"][0]["cache_control"], hour);
  EXPECT_EQ(parsed(request)["messages"][0]["content"][0]["cache_control"], hour);
  request.shape.caching = Caching::none;
  EXPECT_EQ(body_of(request).find("cache_control"), std::string::npos);
}

TEST(ApiBody, TheExtraBodyReplacesMembers) {
  const std::vector<Message> messages{{Role::user, R"([{"type":"text","text":"a"}])"}};
  Request request{.messages = messages};
  request.shape.model = "m";
  request.shape.extra_body = R"({"top_k":5,"max_tokens":7,"metadata":{"a":[1]}})";
  const auto body = parsed(request);
  EXPECT_EQ(body["top_k"], 5);
  EXPECT_EQ(body["max_tokens"], 7);
  EXPECT_EQ(body["metadata"], json::Document({{"a", {1}}}));
  EXPECT_EQ(body["model"], "m");
  EXPECT_EQ(body["messages"].size(), 1u);
}

TEST(ApiBody, BlocksThatCanBeMarked) {
  for (const std::string block : {
           R"({"type":"text","text":"a"})",
           R"({"text":"","a":{"type":"thinking"},"type":"tool_result","content":"\\"})",
           R"({"type":"tool_result","content":[{"type":"text","text":"","cache_control":1}]})",
           R"({"type":"text","text":"cache_control \"cache_control\":{\\\"[{\\"})",
           R"({"text":"\\\\\"","type":"text"})",
           R"({"type":"tool_result","content":":\"type\":","n":1.5e3,"b":null})",
       }) {
    const auto marked = "[1," + block.substr(0, block.size() - 1) + kMark + "}]";
    EXPECT_EQ(sent_content("[1," + block + "]"), marked);
  }
}

TEST(ApiBody, BlocksThatMustNotBeMarked) {
  for (const std::string content :
       {"[]", "[{}]", R"("text")", R"([{"type":"text","text":""}])", R"([{"type":"text"}])",
        R"([{"text":"","type":"text"}])", R"([{"type":"thinking","thinking":"a","signature":"b"}])",
        R"([{"type":"redacted_thinking","data":"a"}])",
        R"([{"type":"text","cache_control":{"type":"ephemeral","ttl":"1h"},"text":"a"}])"}) {
    EXPECT_EQ(sent_content(content), content);
  }
}

TEST(ApiBody, WhatIsBeforeAMarkDoesNotChangeWhileMessagesGrow) {
  std::vector<Message> messages{{Role::user, R"([{"type":"text","text":"one"}])"},
                                {Role::assistant, R"([{"type":"text","text":"two"}])"},
                                {Role::user, R"([{"type":"text","text":"three"}])"}};
  const auto unmarked = [](std::string body) {
    for (auto at = body.find(kMark); at != body.npos; at = body.find(kMark)) {
      body.erase(at, kMark.size());
    }
    return body;
  };
  const Request request{.system = {"s"}, .tools = R"([{"name":"A"}])"};
  auto before = request;
  before.messages = messages;
  const auto first = unmarked(body_of(before));
  messages.push_back({Role::assistant, R"([{"type":"text","text":"four"}])"});
  messages.push_back({Role::user, R"([{"type":"text","text":"five"}])"});
  auto after = request;
  after.messages = messages;
  EXPECT_TRUE(unmarked(body_of(after)).starts_with(first.substr(0, first.size() - 2)));
}

TEST(ApiBody, TextThatIsNotUtf8) {
  const auto body = parsed({.system = {"a\xff"}});
  EXPECT_EQ(body["system"][0]["text"], "a\xEF\xBF\xBD");
}

}  // namespace
}  // namespace ralph::api
