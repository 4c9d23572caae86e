#include <gtest/gtest.h>

#include "agent/api/harness.h"

namespace ralph::api {
namespace {

/// Sends the start, then the same piece for as long as somebody listens.
Answerer repeating(std::string type, std::string start, std::string piece) {
  return [=](http::Exchange& exchange) {
    exchange.begin(200, {{"content-type", type}});
    if (!start.empty()) exchange.send(start);
    auto peer = http::Peer::there;
    while (peer == http::Peer::there) {
      peer = exchange.send(piece);
      if (peer == http::Peer::there) peer = exchange.wait(Millis{2});
    }
  };
}

/// The text of the answer, from an endpoint that may stall for 40 ms.
std::string text_from(std::vector<Answerer> answers) {
  Script script(std::move(answers));
  auto at = endpoint(script.url());
  at.stall_timeout = Millis{40};
  Client client(at, quick());
  Log log;
  const auto answer = client.ask(request(), log);
  return answer.reply.content.empty() ? "" : answer.reply.content.back().text;
}

const std::string kPing = sse("ping", R"({"type":"ping"})");

TEST(ApiKeepAlive, DoesNotHoldAStreamOpenForEver) {
  for (const auto& piece : {kPing, std::string(": still here\n\n"), std::string("data")}) {
    EXPECT_EQ(text_from({repeating("text/event-stream", message_start(), piece),
                         answering(200, whole_message("good"))}),
              "good")
        << piece;
  }
}

/// Whatever its name is, only what makes the answer longer is progress.
TEST(ApiKeepAlive, EventsThatAddNothingDoNotHoldAStreamOpen) {
  const auto empty =
      sse("content_block_delta",
          R"({"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""}})");
  for (const auto& piece :
       {std::string("data: {\"type\":\"ping\"}\n\n"), sse("keepalive", "{}"), empty,
        message_start(), sse("content_block_stop", R"({"type":"content_block_stop","index":7})"),
        sse("message_delta", R"({"type":"message_delta","delta":{}})")}) {
    EXPECT_EQ(text_from({repeating("text/event-stream", message_start(), piece),
                         answering(200, whole_message("good"))}),
              "good")
        << piece;
  }
}

TEST(ApiKeepAlive, DoesNotHoldAWholeAnswerOpen) {
  EXPECT_EQ(text_from({repeating("text/event-stream", whole_stream("all"), kPing)}), "all");
}

TEST(ApiKeepAlive, DoesNotHoldAnAnswerInOnePieceOpen) {
  EXPECT_EQ(
      text_from({repeating("application/json", "", " "), answering(200, whole_message("good"))}),
      "good");
}

}  // namespace
}  // namespace ralph::api
