#include <gtest/gtest.h>

#include "agent/api/client.h"
#include "agent/api/harness.h"
#include "support/tcp_listener.h"

namespace ralph::api {
namespace {

TEST(ApiClientRetry, StatusesThatAreNotRetried) {
  for (const int code : {400, 402, 403, 413}) {
    const auto asked = ask({answering(code, error_body("some_error", "no"))});
    ASSERT_TRUE(asked->answer.failure) << code;
    EXPECT_EQ(asked->answer.failure->status, code);
    EXPECT_EQ(asked->answer.failure->type, "some_error");
    EXPECT_EQ(asked->answer.failure->message, "no");
    EXPECT_EQ(asked->requests.size(), 1U) << code;
    EXPECT_EQ(asked->log.lines, Lines{}) << code;
  }
}

TEST(ApiClientRetry, StatusesThatAreRetried) {
  const std::vector<std::pair<int, std::string>> words{{401, "authentication_failed"},
                                                       {408, "server_error"},
                                                       {409, "server_error"},
                                                       {429, "rate_limit"},
                                                       {500, "server_error"},
                                                       {502, "server_error"},
                                                       {529, "overloaded"}};
  for (const auto& [code, word] : words) {
    const auto bad = answering(code, "<html>bad</html>");
    const auto asked = ask({bad, bad, streaming(whole_stream("good"))});
    ASSERT_FALSE(asked->answer.failure) << code;
    EXPECT_EQ(asked->text(), "good");
    EXPECT_EQ(asked->log.lines_of("retry"),
              (Lines{"retry 1/10 " + word + " 1ms", "retry 2/10 " + word + " 2ms"}));
    EXPECT_EQ(asked->log.lines_of("abandoned"), Lines{}) << "nothing was told";
  }
}

TEST(ApiClientRetry, UntilTheyAreUsedUp) {
  const auto asked = ask({answering(500, error_body("api_error", "down"))});
  EXPECT_EQ(asked->answer.failure.value().message, "down");
  EXPECT_EQ(asked->requests.size(), 11U);
  EXPECT_EQ(asked->log.lines_of("retry").size(), 10U);
  EXPECT_EQ(asked->log.lines.back(), "retry 10/10 server_error 4ms");
}

TEST(ApiClientRetry, RetriesAnOverloadTwiceForScarceModels) {
  const auto busy = answering(529, error_body("overloaded_error", "Overloaded"));
  const auto model = [](std::string id) {
    return [id = std::move(id)](Endpoint&, Request& request) { request.shape.model = id; };
  };
  EXPECT_EQ(ask({busy}, quick(), model("claude-opus-5-5"))->requests.size(), 3U);
  EXPECT_EQ(ask({busy}, quick(), model("claude-fable-5-2"))->requests.size(), 3U);
  EXPECT_EQ(ask({busy}, quick(), model("claude-sonnet-5-5"))->requests.size(), 11U);
  auto patient = quick();
  patient.scarce_models.clear();
  EXPECT_EQ(ask({busy}, patient, model("claude-opus-5-5"))->requests.size(), 11U);
  const auto down = answering(500, "");
  const auto mixed = ask({down, down, busy, busy, streaming(whole_stream("good"))}, quick(),
                         model("claude-opus-5-5"));
  EXPECT_FALSE(mixed->answer.failure) << "other failures do not count as overload";
  EXPECT_EQ(mixed->requests.size(), 5U);
}

TEST(ApiClientRetry, ATokenAloneIsTriedOnceMore) {
  const auto token = [](Endpoint& at, Request&) { at.credential = {"", "token"}; };
  EXPECT_EQ(ask({answering(401, "")}, quick(), token)->requests.size(), 2U);
  EXPECT_EQ(ask({answering(401, "")})->requests.size(), 11U);
}

TEST(ApiClientRetry, RateLimits) {
  const auto limited = [](const std::string& name, const std::string& value) {
    return answering(429, error_body("rate_limit_error", "slow"), {{name, value}});
  };
  const auto good = streaming(whole_stream("good"));
  const auto soon = ask({limited("retry-after-ms", "20"), good});
  EXPECT_FALSE(soon->answer.failure);
  EXPECT_EQ(soon->log.lines_of("retry"), Lines{"retry 1/10 rate_limit 20ms"});
  const auto late = ask({limited("retry-after", "61"), good});
  EXPECT_EQ(late->answer.failure.value().retry_after, Millis{61'000});
  EXPECT_EQ(late->requests.size(), 1U);
  EXPECT_EQ(ask({limited("x-should-retry", "false"), good})->requests.size(), 1U);
}

TEST(ApiClientRetry, ARefusedPort) {
  test::TcpListener listener;
  const auto url = fmt::format("http://127.0.0.1:{}", listener.port());
  listener.close();
  auto policy = quick();
  policy.max_retries = 2;
  Client client(endpoint(url), policy);
  Log log;
  const auto answer = client.ask(request(), log);
  EXPECT_EQ(answer.failure.value().kind, FailureKind::connection);
  EXPECT_EQ(answer.failure.value().http, http::Failure::connect);
  EXPECT_EQ(log.lines, (Lines{"retry 1/2 unknown 1ms", "retry 2/2 unknown 2ms"}));
}

TEST(ApiClientRetry, AResetBeforeTheHeaders) {
  const auto asked =
      ask({[](http::Exchange& exchange) { exchange.reset(); }, streaming(whole_stream("good"))});
  EXPECT_EQ(asked->text(), "good");
  EXPECT_EQ(asked->log.lines_of("retry"), Lines{"retry 1/10 unknown 1ms"});
}

TEST(ApiClientRetry, NoAnswerInTime) {
  const auto asked =
      ask({[](http::Exchange& exchange) { exchange.wait(kLong); }, streaming(whole_stream("good"))},
          quick(), [](Endpoint& at, Request&) { at.head_timeout = Millis{30}; });
  EXPECT_EQ(asked->text(), "good");
  EXPECT_EQ(asked->log.lines_of("retry").size(), 1U);
}

TEST(ApiClientRetry, RequestsThatCannotBeMade) {
  Log log;
  Client client(endpoint("nonsense"), quick());
  EXPECT_EQ(client.ask(request(), log).failure.value().kind, FailureKind::setup);
  auto at = endpoint("http://127.0.0.1:1");
  at.headers = {{"bad name", "x"}};
  Client other(at, quick());
  EXPECT_EQ(other.ask(request(), log).failure.value().kind, FailureKind::setup);
  EXPECT_EQ(log.lines, Lines{});
}

}  // namespace
}  // namespace ralph::api
