#include <gtest/gtest.h>

#include "mock/mock_server_fixture.h"

namespace ralph::mock {
namespace {

class MockMatch : public MockServer {
 protected:
  std::string answer_to(std::string_view rest) {
    return text_of(
        send("POST", "/v1/messages", fmt::format(R"({{"model":"m","max_tokens":9,{}}})", rest)));
  }
};

TEST_F(MockMatch, TheLastUserMessageOnly) {
  start(R"({"steps":[{"text":"plain"},{"text":"matched","match":{"last":"needle"}}]})");
  EXPECT_EQ(answer_to(R"("messages":[{"role":"user","content":"needle"},
                         {"role":"assistant","content":"x"},{"role":"user","content":"hay"}])"),
            "plain");
  EXPECT_EQ(answer_to(R"("messages":[{"role":"user","content":"hay"},
      {"role":"user","content":[{"type":"text","text":"a needle"}]},
      {"role":"assistant","content":"prefill"}])"),
            "matched");
}

TEST_F(MockMatch, AToolResult) {
  start(R"({"steps":[{"text":"plain"},{"text":"matched","match":{"tool_result":"exit 1"}}]})");
  EXPECT_EQ(answer_to(R"("messages":[{"role":"user","content":"exit 1"}])"), "plain");
  EXPECT_EQ(answer_to(R"("messages":[{"role":"user","content":[{"type":"tool_result",
      "tool_use_id":"t","content":[{"type":"text","text":"failed: exit 1"}]}]}])"),
            "matched");
}

TEST_F(MockMatch, TheSystemPromptAndTheToolsOnOffer) {
  start(R"({"steps":[{"text":"plain"},{"text":"sub","match":{"system":"You explore"}},
            {"text":"tools","match":{"tool":"Bash","contains":"go"}}]})");
  EXPECT_EQ(answer_to(R"("system":[{"type":"text","text":"You explore code"}],"messages":[])"),
            "sub");
  EXPECT_EQ(answer_to(R"("tools":[{"name":"Bash"}],"messages":[{"role":"user","content":"go"}])"),
            "tools");
  EXPECT_EQ(answer_to(R"("tools":[{"name":"BashOutput"}],
                         "messages":[{"role":"user","content":"go"}])"),
            "plain");
}

TEST_F(MockMatch, TimesLimitsAMatchAndRepeatsAStepInOrder) {
  start(R"({"steps":[{"text":"twice","times":2},{"text":"then"},
            {"text":"once","times":1,"match":{"contains":"side"}},
            {"text":"later","match":{"contains":"side"}}],"then":"start_again"})");
  const auto ask_all = [&](std::string_view text, std::vector<std::string> expected) {
    for (const auto& one : expected) EXPECT_EQ(text_of(ask(text)), one);
  };
  ask_all("hi", {"twice", "twice", "then", "twice", "twice", "then"});
  ask_all("side", {"once", "later", "later"});
}

TEST_F(MockMatch, APathScriptsAnyEndpoint) {
  start(R"({"steps":[{"text":"plain"},
    {"match":{"path":"/count_tokens"},"times":1,"http":{"body":{"input_tokens":7}}},
    {"match":{"path":"/count_tokens"},"error":404},
    {"match":{"path":"/v2/new"},"http":{"status":201,"headers":{"x-a":1},"body":"made"}}]})");
  const auto counted = send("POST", "/v1/messages/count_tokens", "{}");
  EXPECT_NE(counted.find("\r\ncontent-type: application/json\r\n"), std::string::npos);
  EXPECT_TRUE(counted.ends_with(R"({"input_tokens":7})")) << counted;
  EXPECT_TRUE(send("POST", "/v1/messages/count_tokens", "{}").starts_with("HTTP/1.1 404 "));
  EXPECT_EQ(send("GET", "/v2/new"),
            "HTTP/1.1 201 Unknown\r\nx-a: 1\r\ncontent-length: 4\r\n\r\nmade");
  EXPECT_EQ(text_of(ask()), "plain") << "the others are about messages only";
}

TEST_F(MockMatch, OneModel) {
  start(R"({"steps":[{"text":"plain"}]})");
  EXPECT_EQ(body_of(send("GET", "/v1/models/claude-haiku-5-5"))["display_name"],
            "Claude Haiku 5.5");
  const auto missing = send("GET", "/v1/models/gpt");
  EXPECT_TRUE(missing.starts_with("HTTP/1.1 404 "));
  EXPECT_EQ(body_of(missing)["error"]["message"], "model: gpt");
  EXPECT_TRUE(send("HEAD", "/api/hello").starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(send("POST", "/v1/models").starts_with("HTTP/1.1 405 "));
}

}  // namespace
}  // namespace ralph::mock
