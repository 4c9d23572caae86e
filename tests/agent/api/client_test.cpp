#include "agent/api/client.h"

#include <latch>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/api/harness.h"
#include "core/json/document.h"

namespace ralph::api {
namespace {

TEST(ApiUrl, OfMessages) {
  for (const auto* base :
       {"https://h", "https://h/", "https://h/v1", "https://h/v1/", "https://h/v1/messages"}) {
    EXPECT_EQ(messages_url(base).value(), "https://h/v1/messages") << base;
  }
  EXPECT_EQ(messages_url("http://h:8080/a/b//").value(), "http://h:8080/a/b/v1/messages");
  EXPECT_EQ(messages_url("HTTP://h").value(), "HTTP://h/v1/messages");
  for (const auto* bad :
       {"", "h", "ftp://h", "https://", "https:///v1", "https://h?x=1", "https://a b"}) {
    EXPECT_FALSE(messages_url(bad)) << bad;
  }
}

TEST(ApiClient, AGoodStream) {
  const auto asked = ask({streaming(whole_stream("Hello"))});
  ASSERT_FALSE(asked->answer.failure);
  const auto& reply = asked->answer.reply;
  EXPECT_EQ(asked->text(), "Hello");
  EXPECT_EQ(reply.request_id, "req_s");
  EXPECT_TRUE(reply.whole);
  EXPECT_TRUE(reply.streamed);
  EXPECT_EQ(asked->log.lines.front(), "event message_start");
  EXPECT_EQ(asked->log.lines.back(), "event message_stop");
  EXPECT_EQ(asked->requests.size(), 1U);
}

TEST(ApiClient, WhatIsSent) {
  const auto asked = ask({streaming(whole_stream("a"))}, quick(), [](Endpoint& at, Request& what) {
    at.credential = {"key", "token"};
    at.headers = {{"user-agent", "ralph"}, {"Anthropic-Beta", "mine"}, {"accept", "any/thing"}};
    what.shape.betas = {"one", "two"};
  });
  const auto& sent = asked->requests.at(0);
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(sent.target, "/v1/messages?beta=true");
  EXPECT_EQ(sent.headers.find("content-type"), "application/json");
  EXPECT_EQ(sent.headers.find("anthropic-version"), "2023-06-01");
  EXPECT_EQ(sent.headers.find("anthropic-beta"), "one,two,mine");
  EXPECT_EQ(sent.headers.find("x-api-key"), "key");
  EXPECT_EQ(sent.headers.find("authorization"), "Bearer token");
  EXPECT_EQ(sent.headers.find("user-agent"), "ralph");
  EXPECT_EQ(sent.headers.find("accept"), "any/thing");
  auto what = request();
  what.shape.betas = {"one", "two"};
  EXPECT_EQ(sent.body, body_of(what));
}

TEST(ApiClient, WhatIsNotSent) {
  const auto asked = ask({streaming(whole_stream("a"))}, quick(),
                         [](Endpoint& at, Request&) { at.credential = {}; });
  const auto& sent = asked->requests.at(0);
  EXPECT_EQ(sent.target, "/v1/messages");
  for (const auto* name : {"x-api-key", "authorization", "anthropic-beta"}) {
    EXPECT_FALSE(sent.headers.find(name)) << name;
  }
}

TEST(ApiClient, OneConnectionForAllRequests) {
  const auto server = http::Server::start({}, [](const http::Request&, http::Exchange& exchange) {
                        thread_local int requests = 0;  // a thread serves one connection
                        streaming(whole_stream(std::to_string(++requests)))(exchange);
                      }).value();
  Client client(endpoint(server->url()), quick());
  Log log;
  for (int i = 1; i <= 200; ++i) {
    const auto answer = client.ask(request(), log);
    ASSERT_FALSE(answer.failure);
    ASSERT_EQ(answer.reply.content.at(0).text, std::to_string(i));
  }
}

TEST(ApiClient, InOnePieceWhereItIsAskedForOrSentSo) {
  const auto wanted = ask({answering(200, whole_message("one"))}, quick(),
                          [](Endpoint&, Request& what) { what.stream = false; });
  EXPECT_EQ(wanted->text(), "one");
  EXPECT_EQ(wanted->requests.at(0).headers.find("accept"), "application/json");
  const auto unwanted = ask({answering(200, whole_message("two"))});
  ASSERT_FALSE(unwanted->answer.failure);
  EXPECT_EQ(unwanted->text(), "two");
  EXPECT_FALSE(unwanted->answer.reply.streamed);
  EXPECT_EQ(unwanted->requests.size(), 1U);
}

TEST(ApiClient, AStreamWithAStopReasonIsComplete) {
  const auto stream = message_start() + text_block(0, "a") + message_delta();
  for (const auto& answer : {streaming(stream), cut_after(stream)}) {
    const auto asked = ask({answer});
    EXPECT_FALSE(asked->answer.failure);
    EXPECT_TRUE(asked->answer.reply.whole);
    EXPECT_EQ(asked->requests.size(), 1U);
  }
}

TEST(ApiClient, AStreamThatIsKeptOpenAfterItsEnd) {
  const auto asked = ask({[](http::Exchange& exchange) {
    exchange.begin(200, {});
    exchange.send(whole_stream("a"));
    exchange.wait(kLong);
  }});
  EXPECT_FALSE(asked->answer.failure);
  EXPECT_EQ(asked->text(), "a");
}

const std::string kPart = message_start("msg_cut") +
                          block_start(0, R"({"type":"text","text":""})") + text_delta(0, "part");

TEST(ApiClientCut, InsideABlock) {
  for (const auto& answer : {cut_after(kPart), streaming(kPart)}) {
    const auto asked = ask({answer, streaming(whole_stream("good"))});
    ASSERT_FALSE(asked->answer.failure);
    EXPECT_EQ(asked->text(), "good");
    EXPECT_EQ(Lines(asked->log.lines.begin() + 3, asked->log.lines.begin() + 6),
              (Lines{"abandoned msg_cut from 0", "retry 1/10 unknown 1ms", "event message_start"}));
    EXPECT_TRUE(asked->body(1)["stream"]);
  }
}

TEST(ApiClientCut, AfterThinkingOnly) {
  const auto thinking =
      message_start() + block_start(0, R"({"type":"thinking","thinking":"x"})") + block_stop(0);
  const auto asked = ask({cut_after(thinking), streaming(whole_stream("good"))});
  EXPECT_EQ(asked->text(), "good");
  EXPECT_EQ(asked->log.lines_of("abandoned").size(), 1U);
}

TEST(ApiClientCut, AfterAWholeBlock) {
  const auto call = block_start(0, R"({"type":"tool_use","id":"t","name":"Bash","input":{}})") +
                    block_stop(0) + block_start(1, R"({"type":"text","text":""})") +
                    text_delta(1, "part");
  const auto busy = sse("error", error_body("overloaded_error", "Busy"));
  for (const auto& answer :
       {cut_after(message_start() + text_block(0, "whole")), cut_after(message_start() + call),
        streaming(message_start() + text_block(0, "whole")),
        streaming(message_start() + text_block(0, "whole") + busy),
        streaming(message_start() + text_block(0, "whole") + sse("message_delta", "{"))}) {
    const auto asked = ask({answer});
    EXPECT_FALSE(asked->answer.failure);
    EXPECT_FALSE(asked->answer.reply.whole);
    EXPECT_EQ(asked->answer.reply.content.size(), 1U);
    EXPECT_EQ(asked->requests.size(), 1U);
    EXPECT_EQ(asked->log.lines_of("abandoned"), Lines{});
  }
}

TEST(ApiClientOnePiece, WhereAStreamMakesNoSense) {
  for (const auto& stream : {std::string(), std::string("<html>nonsense</html>"),
                             kPart + sse("content_block_delta", "{"),
                             kPart + sse("error", error_body("overloaded_error", "Busy"))}) {
    const auto asked = ask({streaming(stream), answering(200, whole_message("good"))}, quick(),
                           [](Endpoint&, Request& what) { what.shape.max_tokens = 128'000; });
    ASSERT_FALSE(asked->answer.failure) << stream;
    EXPECT_EQ(asked->text(), "good");
    EXPECT_FALSE(asked->answer.reply.streamed);
    EXPECT_EQ(asked->log.lines_of("retry"), Lines{});
    EXPECT_EQ(asked->log.lines_of("abandoned").size(), stream.starts_with("event") ? 1U : 0U);
    ASSERT_EQ(asked->requests.size(), 2U);
    EXPECT_EQ(asked->body(1)["stream"], false);
    EXPECT_EQ(asked->body(1)["max_tokens"], 64'000);
  }
}

TEST(ApiClientOnePiece, WhereAStreamStalls) {
  const auto asked = ask({[](http::Exchange& exchange) {
                            exchange.begin(200, {});
                            exchange.send(kPart);
                            exchange.wait(kLong);
                          },
                          answering(200, whole_message("good"))},
                         quick(), [](Endpoint& at, Request&) { at.stall_timeout = Millis{30}; });
  EXPECT_EQ(asked->text(), "good");
  EXPECT_EQ(asked->log.lines_of("retry"), Lines{});
  EXPECT_EQ(asked->log.lines_of("abandoned"), Lines{"abandoned msg_cut from 0"});
}

TEST(ApiClientOnePiece, AndItsFailureCounts) {
  const auto asked = ask({streaming(""), answering(500, "down"), streaming(whole_stream("good"))});
  EXPECT_EQ(asked->text(), "good");
  EXPECT_EQ(asked->log.lines_of("retry"), Lines{"retry 1/10 server_error 1ms"});
  EXPECT_EQ(asked->body(2)["stream"], true);
  const auto nonsense = ask({streaming(""), answering(200, "nonsense")});
  EXPECT_EQ(nonsense->answer.failure.value().kind, FailureKind::garbage);
  EXPECT_EQ(nonsense->requests.size(), 2U);
}

TEST(ApiClientOnePiece, IsAStreamAllTheSame) {
  const auto good = ask({streaming(""), streaming(whole_stream("good"))});
  EXPECT_EQ(good->text(), "good");
  EXPECT_EQ(good->body(1)["stream"], false);
  const auto broken = kPart + sse("content_block_delta", "{");
  const auto bad = ask({streaming(broken), streaming(broken)});
  EXPECT_TRUE(bad->answer.failure.value().message.starts_with("an event of the stream is not JSON"))
      << bad->answer.failure->message;
}

TEST(ApiClientOnePiece, WhereNothingIsFound) {
  const auto missing = answering(404, error_body("not_found_error", "model: x"));
  const auto asked = ask({missing});
  EXPECT_EQ(asked->answer.failure.value().status, 404);
  ASSERT_EQ(asked->requests.size(), 2U);
  EXPECT_EQ(asked->body(1)["stream"], false);
  EXPECT_EQ(ask({missing, answering(200, whole_message("good"))})->text(), "good");
}

Request demanding() {
  auto what = request();
  what.shape.thinking = ThinkingMode::adaptive;
  what.shape.thinking_display = "updates";
  what.shape.effort = "high";
  what.shape.betas = {"one"};
  return what;
}

TEST(ApiClientFeatures, AreLeftOutWhereTheyAreRefused) {
  const auto refused =
      answering(400, error_body("invalid_request_error", "thinking: unknown field"));
  Script script({refused, refused, streaming(whole_stream("a"))});
  Client client(endpoint(script.url()), quick());
  Log log;
  const auto what = demanding();
  EXPECT_FALSE(client.ask(what, log).failure);
  EXPECT_FALSE(client.ask(what, log).failure);
  const auto sent = script.requests();
  ASSERT_EQ(sent.size(), 4U) << "the second question knows";
  const auto second = json::parse(sent[1].body).value();
  EXPECT_EQ(sent[1].target, "/v1/messages");
  EXPECT_FALSE(sent[1].headers.find("anthropic-beta"));
  EXPECT_EQ(second["thinking"], json::Document({{"type", "adaptive"}}));
  EXPECT_EQ(second["output_config"]["effort"], "high");
  for (const auto i : {2U, 3U}) {
    const auto body = json::parse(sent[i].body).value();
    EXPECT_FALSE(body.contains("thinking"));
    EXPECT_FALSE(body.contains("output_config"));
    EXPECT_NE(sent[i].body.find("cache_control"), std::string::npos);
  }
  EXPECT_EQ(log.lines_of("retry"), Lines{});
}

TEST(ApiClientFeatures, CacheMarksToo) {
  const auto asked = ask({answering(400, R"({"error":"cache_control is not supported"})"),
                          streaming(whole_stream("a"))});
  EXPECT_FALSE(asked->answer.failure);
  EXPECT_EQ(asked->requests.at(1).body.find("cache_control"), std::string::npos);
}

TEST(ApiClientFeatures, StayWhereTheRefusalIsAboutSomethingElse) {
  for (const auto* message :
       {"bad request", "messages.1.content.0: invalid signature in thinking block",
        "tools.3.input_schema: display", "prompt is too long: 2 tokens > 1 maximum"}) {
    const auto asked = ask({answering(400, error_body("invalid_request_error", message))}, quick(),
                           [](Endpoint&, Request& what) { what = demanding(); });
    EXPECT_EQ(asked->answer.failure.value().message, message);
    EXPECT_EQ(asked->requests.size(), 1U) << message;
  }
}

TEST(ApiClientFeatures, AreNotForgottenWhenLeavingThemOutDoesNotHelp) {
  const auto refused = answering(400, error_body("invalid_request_error", "effort: never"));
  Script script({refused});
  Client client(endpoint(script.url()), quick());
  Log log;
  EXPECT_TRUE(client.ask(demanding(), log).failure);
  EXPECT_EQ(script.requests().size(), 3U);
  EXPECT_TRUE(client.ask(demanding(), log).failure);
  EXPECT_TRUE(script.requests().at(3).headers.find("anthropic-beta"));
}

TEST(ApiClientCancel, InsideAStream) {
  std::latch sent(1);
  Script script({[&](http::Exchange& exchange) {
    exchange.begin(200, {});
    exchange.send(message_start() + text_block(0, "whole") +
                  block_start(1, R"({"type":"text","text":""})") + text_delta(1, "part"));
    sent.count_down();
    exchange.wait(kLong);
  }});
  class Stopper : public Log {
   public:
    void on_event(const Reply& so_far, const StreamEvent& event) override {
      Log::on_event(so_far, event);
      if (events.size() == 6) all_heard.count_down();
    }
    std::latch all_heard{1};
  } log;
  std::stop_source source;
  const std::jthread stopper([&] {
    sent.wait();
    log.all_heard.wait();
    source.request_stop();
  });
  Client client(endpoint(script.url()), quick());
  const auto answer = client.ask(request(), log, source.get_token());
  EXPECT_EQ(answer.failure.value().kind, FailureKind::cancelled);
  EXPECT_EQ(answer.reply.content.at(0).text, "whole");
  EXPECT_EQ(answer.reply.open.value().text, "part");
  EXPECT_EQ(log.lines_of("abandoned"), Lines{});
  EXPECT_EQ(script.requests().size(), 1U);
}

TEST(ApiClientCancel, InAPause) {
  Script script({answering(500, "down")});
  auto policy = quick();
  policy.first_pause = kLong;
  policy.longest_pause = kLong;
  Client client(endpoint(script.url()), policy);
  std::stop_source source;
  std::latch retried(1);
  Log log;
  log.retried = [&] { retried.count_down(); };
  const std::jthread stopper([&] {
    retried.wait();
    source.request_stop();
  });
  const auto answer = client.ask(request(), log, source.get_token());
  EXPECT_EQ(answer.failure.value().kind, FailureKind::cancelled);
  EXPECT_EQ(script.requests().size(), 1U);
}

TEST(ApiClientCancel, BeforeAnything) {
  Script script({streaming(whole_stream("a"))});
  Client client(endpoint(script.url()), quick());
  std::stop_source source;
  source.request_stop();
  Log log;
  EXPECT_EQ(client.ask(request(), log, source.get_token()).failure.value().kind,
            FailureKind::cancelled);
  EXPECT_EQ(script.requests().size(), 0U);
  EXPECT_FALSE(client.ask(request(), log).failure) << "the client is of use afterwards";
}

}  // namespace
}  // namespace ralph::api
