#include <cerrno>

#include <gtest/gtest.h>

#include "mock/mock_server_fixture.h"
#include "system/http/sse_decoder.h"

namespace ralph::mock {
namespace {

class MockTrouble : public MockServer {
 protected:
  /// "Hello" as one block, with that trouble.
  void start_with(std::string_view trouble) {
    start(fmt::format(R"({{"steps":[{{"text":"Hello","trouble":{}}}]}})", trouble));
  }
  /// The names of the events in an answer, in order.
  static std::string names(const std::string& answer) {
    std::string list;
    http::SseDecoder decoder([&](const http::SseEvent& event) -> Result<> {
      list += (list.empty() ? "" : " ") + event.type;
      return {};
    });
    EXPECT_TRUE(decoder.feed(answer.substr(answer.find("\r\n\r\n") + 4)));
    return list;
  }
};

const std::string kToBlock = "message_start content_block_start ping content_block_delta";

struct Where {
  std::string_view place;
  std::string events;
};

TEST_F(MockTrouble, AStreamEndsWhereItIsTold) {
  const Where places[] = {
      {"\"after_headers\"", ""},
      {"0", ""},
      {"1", "message_start"},
      {"3", "message_start content_block_start ping"},
      {"\"in_event\"", "message_start content_block_start ping"},
      {"\"in_block\"", kToBlock},
      {"\"after_blocks\"", kToBlock + " content_block_stop"},
      {"\"before_message_stop\"", kToBlock + " content_block_stop message_delta"},
      {"\"after_message_stop\"", kToBlock + " content_block_stop message_delta message_stop"},
      {"99", kToBlock + " content_block_stop message_delta message_stop"},
  };
  for (const auto& where : places) {
    start_with(fmt::format(R"({{"at":{},"do":"close"}})", where.place));
    const auto answer = ask_stream();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n"));
    EXPECT_EQ(names(answer), where.events) << where.place;
  }
}

TEST_F(MockTrouble, AnEventIsCutInTheMiddle) {
  start_with(R"({"at":"in_event","do":"close"})");
  const auto answer = ask_stream();
  EXPECT_TRUE(answer.ends_with("event: content_block_delta\ndata: {\"type\":\"content_block_delt"))
      << answer;
}

TEST_F(MockTrouble, TheThreeEndsDiffer) {
  start_with(R"({"at":"in_block","do":"end"})");
  const auto body = request("hi", "m", true);
  for (const auto* which : {"first", "second"}) {
    client_->say(fmt::format("POST /v1/messages HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}",
                             body.size(), body));
    const auto answer = client_->hear_until("\r\n0\r\n\r\n");
    EXPECT_TRUE(answer.ends_with("\r\n0\r\n\r\n")) << which << ": HTTP is whole";
    EXPECT_EQ(answer.find("content_block_stop"), answer.npos) << which;
  }

  start_with(R"({"at":"in_block","do":"close"})");
  EXPECT_FALSE(ask_stream("1.1").ends_with("0\r\n\r\n"));
  EXPECT_EQ(client_->error_number(), 0);

  start_with(R"({"at":"in_block","do":"reset"})");
  EXPECT_EQ(names(ask_stream()), kToBlock);
  EXPECT_EQ(client_->error_number(), ECONNRESET);
}

TEST_F(MockTrouble, BeforeAndInsideTheHeaders) {
  start_with(R"({"at":"before_headers","do":"close"})");
  EXPECT_EQ(ask_stream(), "");
  start_with(R"({"at":"before_headers","do":"reset"})");
  EXPECT_EQ(ask_stream(), "");
  EXPECT_EQ(client_->error_number(), ECONNRESET);
  start_with(R"({"at":"in_headers","do":"close"})");
  const auto half = ask_stream();
  EXPECT_TRUE(half.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(half.find("\r\n\r\n"), std::string::npos);
  start_with(R"({"at":"before_headers","send":"not HTTP at all\r\n"})");
  EXPECT_TRUE(ask_stream().starts_with("not HTTP at all\r\nHTTP/1.1 200 OK\r\n"));
}

TEST_F(MockTrouble, SilenceLastsUntilTheClientHangsUp) {
  for (const auto* place : {"before_headers", "after_headers", "in_block"}) {
    start_with(fmt::format(R"({{"at":"{}","do":"silence"}})", place));
    const auto body = request("hi", "m", true);
    client_->say(fmt::format("POST /v1/messages HTTP/1.0\r\nContent-Length: {}\r\n\r\n{}",
                             body.size(), body));
    if (std::string_view(place) == "after_headers") client_->hear_until("\r\n\r\n");
    if (std::string_view(place) == "in_block") client_->hear_until("Hello");
    client_->close();
    server_->stop();  // returns only when no handler waits any more
  }
}

TEST_F(MockTrouble, PausesLetTheRestCome) {
  start_with(R"([{"at":"in_headers","pause_ms":1},{"at":"in_event","pause_ms":1},
                 {"at":"before_message_stop","pause_ms":1}])");
  EXPECT_EQ(names(ask_stream()), kToBlock + " content_block_stop message_delta message_stop");
}

TEST_F(MockTrouble, WhatWasSaidBeforeAPauseIsThere) {
  start_with(R"({"at":"before_message_stop","pause_ms":3600000})");
  const auto body = request("hi", "m", true);
  client_->say(
      fmt::format("POST /v1/messages HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}", body.size(), body));
  EXPECT_NE(client_->hear_until("event: message_delta").find("Hello"), std::string::npos);
}

TEST_F(MockTrouble, BytesNobodyAskedFor) {
  start_with(R"([{"at":1,"send":": a comment\n\nevent: news\ndata: {}\n\n"},
                 {"at":"after_blocks","send_hex":"646174613a20FF00Fe0a0a"}])");
  const auto answer = ask_stream();
  EXPECT_EQ(names(answer),
            "message_start news content_block_start ping content_block_delta content_block_stop "
            "message message_delta message_stop");
  EXPECT_NE(answer.find(std::string_view("data: \xff\0\xfe\n\n", 11)), std::string::npos);
}

TEST_F(MockTrouble, AnErrorEventEndsTheStream) {
  start_with(R"({"at":"in_block","error":"overloaded_error"})");
  const auto answer = ask_stream();
  EXPECT_EQ(names(answer), kToBlock + " error");
  EXPECT_TRUE(answer.ends_with(
      "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
      "\"message\":\"mock overloaded_error\"}}\n\n"));
  connect_again();
  EXPECT_TRUE(ask().starts_with("HTTP/1.1 529 ")) << "without a stream it is an HTTP error";
}

TEST_F(MockTrouble, LineEnds) {
  start(R"({"steps":[{"text":"Hello","line_end":"cr"},{"text":"Hello","line_end":"crlf"}]})");
  for (const auto* end : {"\r", "\r\n"}) {
    connect_again();
    const auto answer = ask_stream();
    EXPECT_NE(answer.find(fmt::format("event: ping{}data:", end)), std::string::npos);
    EXPECT_EQ(names(answer), kToBlock + " content_block_stop message_delta message_stop");
  }
}

TEST_F(MockTrouble, WholeAnswersBreakToo) {
  start(R"({"steps":[{"text":"Hello","trouble":{"at":"in_block","do":"reset"}},
            {"error":{"status":529},"trouble":{"at":"after_headers","do":"close"}},
            {"http":{"body":"0123456789"},"trouble":{"at":"in_event","do":"close"}},
            {"text":"Hello","trouble":{"at":"in_headers","pause_ms":1}}]})");
  const auto message = ask();
  EXPECT_TRUE(message.starts_with("HTTP/1.1 200 OK\r\n"));
  EXPECT_FALSE(message.ends_with("}"));
  EXPECT_EQ(client_->error_number(), ECONNRESET);
  connect_again();
  EXPECT_TRUE(ask().ends_with("\r\n\r\n"));
  connect_again();
  EXPECT_TRUE(ask().ends_with("\r\ncontent-length: 10\r\nconnection: close\r\n\r\n01234"));
  connect_again();
  EXPECT_EQ(text_of(ask()), "Hello");
}

TEST_F(MockTrouble, AnyHttpAnswer) {
  start(R"({"steps":[
    {"http":{"status":502,"headers":{"content-type":"text/html","x-should-retry":"false"},
             "body":"<html>Bad gateway</html>"}},
    {"http":{"status":200}}]})");
  EXPECT_EQ(ask(),
            "HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\nx-should-retry: false\r\n"
            "content-length: 24\r\n\r\n<html>Bad gateway</html>");
  EXPECT_EQ(ask(), "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
}

TEST_F(MockTrouble, ALongReplyGoesOutInFewPieces) {
  start(fmt::format(R"({{"steps":[{{"text":"{}","chunk_size":20}}]}})", std::string(240'000, 'x')));
  const auto answer = ask_stream("1.1\r\nConnection: close");
  std::size_t events = 0;
  for (auto at = answer.find("text_delta"); at != answer.npos;
       at = answer.find("text_delta", at + 1)) {
    ++events;
  }
  EXPECT_EQ(events, 12'000u);
  std::size_t chunks = 0;
  for (auto at = answer.find("\r\n", answer.find("\r\n\r\n") + 4); at != answer.npos;
       at = answer.find("\r\n", at + 1)) {
    ++chunks;
  }
  EXPECT_LT(chunks, 200u) << "two line ends a chunk";
}

}  // namespace
}  // namespace ralph::mock
