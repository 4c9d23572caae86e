#include "agent/api/failure.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/api/client.h"
#include "agent/api/response_headers_impl.h"
#include "core/json/document.h"

namespace ralph::api {
namespace {

Failure status(int code, std::string message = "m") {
  return failure_of(code, json::write({{"error", {{"message", std::move(message)}}}}), "");
}

TEST(ApiFailure, AnEncodedBodyIsNotShown) {
  const auto failure = failure_of({400, {{"content-encoding", "gzip"}}, "\x1f\x8b rest"});
  EXPECT_EQ(failure.message, "status 400; its body is encoded (gzip)");
}

TEST(ApiFailure, TheApisOwnForm) {
  const auto failure = failure_of(
      529,
      R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_b"})",
      "");
  EXPECT_EQ(failure.kind, FailureKind::status);
  EXPECT_EQ(failure.status, 529);
  EXPECT_EQ(failure.type, "overloaded_error");
  EXPECT_EQ(failure.message, "Overloaded");
  EXPECT_EQ(failure.request_id, "req_b");
  EXPECT_EQ(failure_of(500, R"({"request_id":"req_b"})", "req_h").request_id, "req_h");
}

TEST(ApiFailure, OtherForms) {
  const auto said = [](std::string_view body) { return failure_of(502, body, "").message; };
  EXPECT_EQ(said(R"({"error":"model not loaded"})"), "model not loaded");
  EXPECT_EQ(said(R"({"error":{"message":"no slot","code":500}})"), "no slot");
  EXPECT_EQ(said(R"({"detail":"Not Found"})"), "Not Found");
  EXPECT_EQ(said(R"({"detail":[{"msg":"x"}]})"), R"([{"msg":"x"}])");
  EXPECT_EQ(said(R"({"message":"gone"})"), "gone");
  EXPECT_EQ(said("upstream\n  connect\terror\n"), "upstream connect error");
  EXPECT_EQ(said(""), "status 502 without a message");
  EXPECT_EQ(said("\xff"), "\xEF\xBF\xBD");
}

TEST(ApiFailure, APageOfAProxy) {
  EXPECT_EQ(
      failure_of(
          502,
          "<!DOCTYPE html>\n<html><HEAD><title>t</title><style>b{c:d}</style></HEAD>\r\n"
          "<body><script>if (a<b) x()</script><h1>502 Bad\nGateway</h1><hr>nginx</body></html>",
          "")
          .message,
      "502 Bad Gateway nginx");
  EXPECT_EQ(failure_of(502, "<p>" + std::string(5'000, 'x') + "</p>", "").message.size(),
            300 + std::string_view("…").size());
  EXPECT_EQ(failure_of(502, "<script", "").message, "status 502 without a message");
}

TEST(ApiFailure, WhatHeadersSay) {
  const auto failure = failure_of(http::Response{
      429, {{"Request-Id", "req_1"}, {"Retry-After", "1.5"}, {"x-should-retry", "false"}}, "{}"});
  EXPECT_EQ(failure.request_id, "req_1");
  EXPECT_EQ(failure.retry_after, Millis{1'500});
  EXPECT_EQ(failure.should_retry, false);
  const auto other = failure_of(http::Response{500, {{"x-request-id", "req_2"}}, ""});
  EXPECT_EQ(other.request_id, "req_2");
  EXPECT_EQ(other.retry_after, std::nullopt);
  EXPECT_EQ(other.should_retry, std::nullopt);
}

TEST(ApiFailure, RetryAfter) {
  const auto now = parse_iso("2026-10-21T07:28:00Z").value();
  const auto read = [&](std::string value) {
    return retry_after_in({{"retry-after", std::move(value)}}, now);
  };
  EXPECT_EQ(read("0"), Millis{0});
  EXPECT_EQ(read("7"), Millis{7'000});
  EXPECT_EQ(read("Wed, 21 Oct 2026 07:29:30 GMT"), Millis{90'000});
  EXPECT_EQ(read("Wed, 21 Oct 2026 07:00:00 GMT"), Millis{0});
  EXPECT_EQ(read("1e300"), Millis{1'000'000'000'000});
  for (const auto* bad : {"", "soon", "-1", "nan", "7s", "Wed, 99 Oct 2026 07:29:30 GMT",
                          "Wed, 21 Foo 2026 07:29:30 GMT", "Wed, 21 ctN 2026 07:29:30 GMT"}) {
    EXPECT_EQ(read(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(retry_after_in({{"retry-after", "7"}, {"retry-after-ms", "250"}}, now), Millis{250});
}

TEST(ApiFailure, NamesErrorsAsEventsDo) {
  const std::vector<std::pair<int, std::string_view>> words{
      {400, "unknown"},         {401, "authentication_failed"},
      {402, "billing_error"},   {403, "authentication_failed"},
      {404, "model_not_found"}, {408, "server_error"},
      {409, "server_error"},    {413, "invalid_request"},
      {418, "unknown"},         {429, "rate_limit"},
      {500, "server_error"},    {502, "server_error"},
      {503, "server_error"},    {504, "server_error"},
      {529, "overloaded"}};
  for (const auto& [code, word] : words)
    EXPECT_EQ(to_string(error_name(status(code))), word) << code;
  EXPECT_EQ(error_name(status(400, "Your credit balance is too low")), ErrorName::billing_error);
  EXPECT_EQ(error_name(status(400, "prompt is too long: 2 tokens > 1 maximum")),
            ErrorName::invalid_request);
  const auto event = [](std::string type) {
    return to_string(error_name({.kind = FailureKind::error_event, .type = std::move(type)}));
  };
  EXPECT_EQ(event("overloaded_error"), "overloaded");
  EXPECT_EQ(event("rate_limit_error"), "rate_limit");
  EXPECT_EQ(event("api_error"), "server_error");
  EXPECT_EQ(event(""), "server_error");
  for (const auto kind : {FailureKind::connection, FailureKind::timed_out, FailureKind::stalled,
                          FailureKind::cut, FailureKind::garbage, FailureKind::setup}) {
    EXPECT_EQ(error_name({.kind = kind}), ErrorName::unknown);
  }
}

TEST(ApiFailure, APromptThatIsTooLong) {
  const auto too_long = [](std::string message) {
    return status(400, std::move(message)).rejection.prompt_too_long;
  };
  const auto found = too_long("prompt is too long: 250000 tokens > 200000 maximum");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tokens, 250'000);
  EXPECT_EQ(found->limit, 200'000);
  EXPECT_TRUE(too_long("Prompt is too long"));
  EXPECT_FALSE(too_long("too long"));
}

RetryPolicy policy() {
  RetryPolicy made;
  made.jitter = [] { return 0.0; };
  return made;
}

/// How often a failure is worth another try.
int tries(const Failure& failure, const RetryPolicy& by = policy()) {
  int count = 0;
  while (count < 100 && pause_before_retry(failure, count, by)) ++count;
  return count;
}

std::optional<MediaRefusal> media_refusal(const Failure& failure) {
  return failure.rejection.media;
}

TEST(ApiFailure, APictureOrDocumentThatIsRefused) {
  const auto picture = media_refusal(
      status(400,
             "messages.12.content.3.tool_result.content.1.image.source.base64: Could not process "
             "image"));
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->kind, MediaKind::picture);
  EXPECT_EQ(picture->place, (MediaPlace{12, 3, 1}));
  EXPECT_EQ(picture->reason, "Could not process image");
  const auto prompt = media_refusal(status(400, "messages.0.content.1.document: bad"));
  ASSERT_TRUE(prompt);
  EXPECT_EQ(prompt->kind, MediaKind::document);
  EXPECT_EQ(prompt->place, (MediaPlace{0, 1, std::nullopt}));
  const auto pages = media_refusal(status(400, "A maximum of 100 PDF pages may be provided."));
  ASSERT_TRUE(pages);
  EXPECT_EQ(pages->kind, MediaKind::document);
  EXPECT_EQ(pages->place, std::nullopt);
  const auto media =
      media_refusal(status(400, "Too much media: 0 document pages + 102 images > 100"));
  ASSERT_TRUE(media);
  EXPECT_EQ(media->kind, MediaKind::any);
}

TEST(ApiFailure, OtherRefusalsAreNotAboutMedia) {
  EXPECT_FALSE(media_refusal(status(400, "see the documentation")));
  EXPECT_FALSE(media_refusal(status(400, "prompt is too long: 3 tokens > 2 maximum (image)")));
  EXPECT_FALSE(media_refusal(status(500, "Could not process image")));
  EXPECT_EQ(media_refusal(status(400, "messages.x.content.99999999999999999999: image"))->place,
            std::nullopt);
}

TEST(ApiRetry, HowOften) {
  for (const int code : {400, 402, 403, 404, 413, 301, 418})
    EXPECT_EQ(tries(status(code)), 0) << code;
  for (const int code : {401, 408, 409, 429, 500, 502, 503, 504}) {
    EXPECT_EQ(tries(status(code)), 10) << code;
  }
  EXPECT_EQ(tries(status(529)), 2);
  for (const auto kind :
       {FailureKind::connection, FailureKind::timed_out, FailureKind::cut, FailureKind::stalled}) {
    EXPECT_EQ(tries({.kind = kind}), 10);
  }
  for (const auto kind : {FailureKind::setup, FailureKind::cancelled, FailureKind::garbage}) {
    EXPECT_EQ(tries({.kind = kind}), 0);
  }
  EXPECT_EQ(tries({.kind = FailureKind::connection, .http = http::Failure::connect}), 10);
  EXPECT_EQ(tries({.kind = FailureKind::connection, .http = http::Failure::tls}), 0);
  EXPECT_EQ(tries({.kind = FailureKind::connection, .http = http::Failure::certificate}), 0);
  EXPECT_EQ(tries({.kind = FailureKind::error_event, .type = "overloaded_error"}), 2);
  EXPECT_EQ(tries({.kind = FailureKind::error_event, .type = "invalid_request_error"}), 0);
}

TEST(ApiRetry, TheLimitsOfThePolicy) {
  auto by = policy();
  by.max_retries = 1;
  EXPECT_EQ(tries(status(529), by), 1);
  EXPECT_EQ(tries(status(500), by), 1);
  by.max_retries = 0;
  EXPECT_EQ(tries(status(500), by), 0);
  by = policy();
  by.max_unauthorized = 1;
  EXPECT_EQ(tries(status(401), by), 1);
  EXPECT_EQ(tries(status(500), by), 10);
}

TEST(ApiRetry, WhatTheEndpointAsksFor) {
  auto failure = status(429);
  failure.retry_after = Millis{60'000};
  EXPECT_EQ(tries(failure), 10);
  EXPECT_EQ(pause_before_retry(failure, 0, policy()), Millis{60'000});
  failure.retry_after = Millis{60'001};
  EXPECT_EQ(tries(failure), 0);
  failure = status(429);
  failure.should_retry = false;
  EXPECT_EQ(tries(failure), 0);
  failure = status(400);
  failure.should_retry = true;
  EXPECT_EQ(tries(failure), 10);
  failure = status(529);
  failure.should_retry = true;
  EXPECT_EQ(tries(failure), 2);
}

TEST(ApiRetry, HowLong) {
  const std::vector<int> pauses{500, 1'000, 2'000, 4'000, 8'000, 16'000, 32'000, 32'000};
  for (int i = 0; i < static_cast<int>(pauses.size()); ++i) {
    EXPECT_EQ(pause_before_retry(status(500), i, policy()),
              Millis{pauses[static_cast<std::size_t>(i)]});
  }
  auto by = policy();
  by.jitter = [] { return 1.0; };
  EXPECT_EQ(pause_before_retry(status(500), 0, by), Millis{625});
  EXPECT_EQ(pause_before_retry(status(500), 9, by), Millis{40'000});
  by.jitter = nullptr;
  for (int i = 0; i < 20; ++i) {
    const auto pause = pause_before_retry(status(500), 0, by).value();
    EXPECT_GE(pause, Millis{500});
    EXPECT_LE(pause, Millis{625});
  }
}

}  // namespace
}  // namespace ralph::api
