#include <gtest/gtest.h>

#include "mock/mock_server_fixture.h"
#include "mock/recorder.h"
#include "support/temp_folder.h"

namespace ralph::mock {
namespace {

/// A is scripted, B records A, C replays what B wrote.
class MockRecord : public testing::Test {
 protected:
  void start(std::string_view scenario, const Masker& masker = {}) {
    auto read = read_scenario(scenario, "s.json");
    ASSERT_TRUE(read) << describe(read.error());
    a_ = Server::start(*std::move(read), {}).value();
    b_ = Server::start(Recorder::open({a_->url() + "/", file(), masker}).value(), {}).value();
  }
  void replay() {
    auto recorded = read_scenario(test::text_of(file()), "recorded.json");
    ASSERT_TRUE(recorded) << describe(recorded.error()) << test::text_of(file());
    c_ = Server::start(*std::move(recorded), {}).value();
  }
  std::filesystem::path file() const { return folder_ / "recorded.json"; }

  /// The whole answer; its body as if it had come without chunks.
  static std::string ask(const Server& server, std::string_view method, std::string_view target,
                         std::string_view body, std::string_view headers = {}) {
    test::TcpClient client(server.port());
    client.say(fmt::format("{} {} HTTP/1.0\r\n{}Content-Length: {}\r\n\r\n{}", method, target,
                           headers, body.size(), body));
    return client.hear_all();
  }
  static std::string ask(const Server& server, bool stream) {
    return ask(server, "POST", "/v1/messages",
               fmt::format(R"({{"model":"m","max_tokens":9,"stream":{},"messages":[]}})", stream));
  }
  static std::string body_of(const std::string& answer) {
    return answer.substr(answer.find("\r\n\r\n") + 4);
  }

  /// Every request goes to B, and again to C; the bodies must be the same.
  void expect_same_streams(std::size_t requests) {
    std::vector<std::string> recorded;
    for (std::size_t n = 0; n < requests; ++n) recorded.push_back(body_of(ask(*b_, true)));
    replay();
    for (std::size_t n = 0; n < requests; ++n) {
      EXPECT_EQ(body_of(ask(*c_, true)), recorded[n]) << "answer " << n + 1;
    }
  }

  test::TempFolder folder_;
  std::unique_ptr<Server> a_;
  std::unique_ptr<Server> b_;
  std::unique_ptr<Server> c_;
};

constexpr std::string_view kEveryBlock = R"({"steps":[
  {"text":"Hello, wörld! This text is longer than one delta of forty bytes is.", "model":"other",
   "usage":{"input_tokens":3,"output_tokens":99,"cache_read_input_tokens":5,
            "cache_creation":{"ephemeral_5m_input_tokens":1,"ephemeral_1h_input_tokens":2},
            "output_tokens_details":{"thinking_tokens":4},"server_tool_use":{"web_search_requests":1},
            "service_tier":"standard","verbatim":{"speed":"fast"}}},
  {"content":[{"thinking":"hm","signature":"sig"},{"thinking":"unsigned","signature":""},
              {"thinking":"","signature":"only a signature"},
              {"type":"redacted_thinking","data":"abc"}]},
  {"content":[{"text":"cited","citations":[{"type":"char_location","cited_text":"x"}]},
              {"tool_use":{"name":"Bash","input":{"command":"ls -l","n":[1,2.5,null]}}},
              {"tool_use":{"name":"Cut","raw_input":"{\"command\": \"l"}},
              {"tool_use":{"name":"None"}}],"chunk_size":7},
  {"content":[{"type":"server_tool_use","name":"web_search","input":{"query":"q"}},
              {"type":"web_search_tool_result","tool_use_id":"srvtoolu_mock_000004","content":[]},
              {"type":"compaction","content":"what was said so far, longer than one delta would be"},
              {"type":"mcp_tool_use","id":"x","name":"n","server_name":"s","input":{}},
              {"verbatim":{"type":"hologram","size":1},"deltas":[{"type":"light","n":1}]}],
   "stop_reason":"pause_turn"},
  {"content":[],"stop_reason":"refusal","stop_details":{"category":"cyber"}},
  {"text":"a","stop_reason":"stop_sequence","stop_sequence":"END"}
]})";

TEST_F(MockRecord, EveryBlockTypeIsReplayedEventByEvent) {
  start(kEveryBlock);
  expect_same_streams(6);
}

TEST_F(MockRecord, WholeMessagesToo) {
  start(kEveryBlock);
  std::vector<std::string> recorded;
  for (int n = 0; n < 6; ++n) recorded.push_back(body_of(ask(*b_, false)));
  replay();
  for (const auto& answer : recorded) EXPECT_EQ(body_of(ask(*c_, false)), answer);
}

TEST_F(MockRecord, BrokenStreamsBreakAgain) {
  start(R"({"steps":[
    {"text":"Hello","tool_use":{"name":"Bash"},"trouble":{"at":"in_block","do":"close"}},
    {"text":"Hello","trouble":{"at":"after_blocks","do":"end"}},
    {"text":"Hello","trouble":{"at":"before_message_stop","do":"close"}},
    {"text":"Hello","trouble":{"at":1,"do":"end"}},
    {"text":"Hello","trouble":{"at":"after_blocks","error":"overloaded_error"}},
    {"text":"Hello","trouble":{"at":1,"send":"data: no json\n\n"}},
    {"http":{"status":200,"headers":{"content-type":"text/event-stream"}}}]})");
  expect_same_streams(7);
}

TEST_F(MockRecord, ErrorsKeepWhatAClientActsUpon) {
  start(R"({"steps":[
    {"error":{"status":429,"message":"slow down","headers":{"retry-after":"7",
              "anthropic-ratelimit-requests-remaining":"0","set-cookie":"secret"}}},
    {"http":{"status":502,"headers":{"content-type":"text/html","x-should-retry":"true"},
             "body":"<html>"}},
    {"http":{"status":429,"headers":{"content-type":"application/json"},"body":{"type":"error",
             "error":{"type":"rate_limit_error","message":"m","details":{"error_code":"e"}}}}}]})");
  const auto first = ask(*b_, true);
  EXPECT_NE(first.find("set-cookie"), std::string::npos) << "the client gets it all";
  const auto second = ask(*b_, true);
  const auto third = ask(*b_, true);
  replay();
  const auto replayed = ask(*c_, true);
  EXPECT_TRUE(replayed.starts_with("HTTP/1.1 429 "));
  EXPECT_NE(replayed.find("\r\nretry-after: 7\r\n"), std::string::npos);
  EXPECT_NE(replayed.find("\r\nanthropic-ratelimit-requests-remaining: 0\r\n"), std::string::npos);
  EXPECT_EQ(replayed.find("set-cookie"), std::string::npos);
  EXPECT_EQ(body_of(replayed), body_of(first));
  const auto html = ask(*c_, true);
  EXPECT_TRUE(html.starts_with("HTTP/1.1 502 "));
  EXPECT_NE(html.find("\r\nx-should-retry: true\r\n"), std::string::npos);
  EXPECT_EQ(body_of(html), body_of(second));
  EXPECT_EQ(body_of(ask(*c_, true)), body_of(third));
  EXPECT_NE(ask(*c_, true).find("no step left"), std::string::npos);
}

TEST_F(MockRecord, OtherEndpointsAnswerWhereTheyWereAsked) {
  start(R"({"steps":[{"text":"Hello"},
            {"match":{"path":"/count_tokens"},"times":1,"http":{"body":{"input_tokens":71}}}]})");
  const auto models = body_of(ask(*b_, "GET", "/v1/models?limit=1", ""));
  ask(*b_, "HEAD", "/api/hello", "");
  const auto tokens = body_of(ask(*b_, "POST", "/v1/messages/count_tokens", "{}"));
  const auto message = body_of(ask(*b_, true));
  replay();
  EXPECT_EQ(body_of(ask(*c_, true)), message);
  EXPECT_EQ(body_of(ask(*c_, "POST", "/v1/messages/count_tokens", "{}")), tokens);
  EXPECT_EQ(body_of(ask(*c_, "GET", "/v1/models", "")), models);
}

TEST_F(MockRecord, TheFileIsWholeAfterEveryAnswerAndHasNoKeys) {
  const std::string key = "sk-ant-api03-" + std::string(80, 'k');
  start(R"({"steps":[{"text":"the key is )" + key + R"( and very-secret-value"}]})",
        Masker({"MY_TOKEN=very-secret-value"}));
  for (std::size_t n = 1; n < 4; ++n) {
    const auto answer =
        ask(*b_, "POST", "/v1/messages", R"({"model":"m","max_tokens":9,"messages":[]})",
            "x-api-key: " + key + "\r\nauthorization: Bearer abcdefghijkl\r\n");
    EXPECT_NE(answer.find(key), std::string::npos) << "only the file is masked";
    const auto recorded = read_scenario(test::text_of(file()), "recorded.json");
    ASSERT_TRUE(recorded) << describe(recorded.error());
    EXPECT_EQ(recorded->steps.size(), n);
  }
  const auto text = test::text_of(file());
  EXPECT_EQ(text.find("kkkk"), std::string::npos) << text;
  EXPECT_EQ(text.find("very-secret"), std::string::npos) << text;
  EXPECT_EQ(text.find("abcdefgh"), std::string::npos) << text;
  EXPECT_EQ(test::mode_of(file()), 0600u);
  EXPECT_FALSE(b_->failure());
}

TEST_F(MockRecord, AStreamPassesThroughAsItComes) {
  start(R"({"steps":[{"text":"first","trouble":{"at":"after_blocks","do":"silence"}}]})");
  test::TcpClient client(b_->port());
  const std::string body = R"({"model":"m","max_tokens":9,"stream":true,"messages":[]})";
  client.say(
      fmt::format("POST /v1/messages HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}", body.size(), body));
  EXPECT_NE(client.hear_until("content_block_stop").find("first"), std::string::npos);
  b_->stop();  // though the endpoint is silent
  EXPECT_TRUE(read_scenario(test::text_of(file()), "r").error().message.ends_with("has no steps"));
}

TEST_F(MockRecord, AnEndpointThatIsNotThereIsAnError) {
  start(R"({"steps":[{"text":"a"}]})");
  a_->stop();
  const auto answer = ask(*b_, true);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 502 ")) << answer;
  EXPECT_NE(
      answer.find(R"({"type":"error","error":{"type":"api_error","message":"connection refused)"),
      std::string::npos)
      << answer;
}

TEST_F(MockRecord, AFolderThatIsMissingIsNamed) {
  const auto recorder = Recorder::open({"http://127.0.0.1:1", "/nowhere/s.json", {}});
  ASSERT_FALSE(recorder);
  EXPECT_NE(recorder.error().message.find("/nowhere"), std::string::npos);
}

TEST(WriteScenario, ReadsBackAsItWas) {
  constexpr std::string_view kAll = R"({"steps":[
    {"text":"a","match":{"last":"x","tool":"Bash"},"times":3,"delay_ms":4,"chunk_delay_ms":5,
     "chunk_size":6,"line_end":"crlf","usage":{"input_tokens":1,"verbatim":{"input_tokens":"x"}},
     "trouble":[{"at":2,"send":"ä\n"},{"at":"in_event","send_hex":"ff00"},
                {"at":"before_message_stop","pause_ms":7},{"at":"in_block","do":"silence"}]},
    {"tool_use":{"name":"B","raw_input":"{\"a\": 1}"},"trouble":{"at":"in_block","error":529}},
    {"match":{"path":"/v1/messages"},"http":{"status":201,"body":{"a":[1]}}},
    {"error":{"status":418,"headers":{"a":"b"}}},{"trouble":{"at":"after_headers","do":"end"}}],
    "then":"start_again"})";
  const auto once = write_scenario(read_scenario(kAll, "s").value());
  const auto again = read_scenario(once, "again");
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(write_scenario(*again), once);
  EXPECT_EQ(again->steps.at(0).troubles.size(), 4u);
  EXPECT_EQ(std::get<Bytes>(again->steps.at(0).troubles.at(1).incident).bytes,
            std::string_view("\xff\0", 2));
  const auto& call = std::get<Reply>(again->steps.at(1).action).content.at(0);
  EXPECT_EQ(std::get<ToolUseBlock>(call).input, R"({"a": 1})");
}

}  // namespace
}  // namespace ralph::mock
