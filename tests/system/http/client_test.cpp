#include "system/http/client.h"

#include <functional>
#include <latch>
#include <new>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "system/http/client_harness.h"
#include "system/http/curl_library_impl.h"

namespace ralph::http {
namespace {

static_assert(std::is_convertible_v<std::unexpected<SendError>, Result<int>>, "TRY works with it");

void echo_target(const Request& request, Exchange& exchange) {
  exchange.respond({200, {{"X-Path", request.target}}, request.method + ":" + request.body});
}

/// The number of requests this connection has had: a thread serves one connection.
void count(const Request&, Exchange& exchange) {
  thread_local int requests = 0;
  exchange.respond({200, {}, std::to_string(++requests)});
}

TEST(HttpClient, WhatASinkThrowsIsAFailureOfTheRequest) {
  const auto server =
      serve([](const Request&, Exchange& exchange) { exchange.respond({200, {}, "body"}); });
  Client client;
  const auto send = [&](const std::function<void()>& act) {
    const ResponseSink sink{.body = [&](std::string_view) -> Result<> {
      act();
      return {};
    }};
    return client.send({.url = server->url()}, sink).error().failure;
  };
  EXPECT_EQ(send([] { throw std::bad_alloc(); }), Failure::too_large);
  EXPECT_EQ(send([] { throw std::runtime_error("broken"); }), Failure::sink);
}

TEST(HttpClient, TheHeadComesOnceAndTheBodyGoesToTheSink) {
  const auto server = serve(echo_target);
  const auto heard = fetch({.method = "POST", .url = server->url() + "/a?b=c", .body = "hello"});
  ASSERT_TRUE(heard.sent) << describe(heard.sent.error());
  EXPECT_EQ(heard.heads, 1);
  EXPECT_EQ(heard.body, "POST:hello");
  EXPECT_EQ(heard.sent->status, 200);
  EXPECT_EQ(heard.sent->headers.find("x-path"), "/a?b=c");
  EXPECT_EQ(heard.sent->headers, heard.head.headers);
  EXPECT_EQ(heard.sent->body, "");
}

TEST(HttpClient, TheHeadIsThereBeforeTheBody) {
  std::latch head_heard(1);
  const auto server = serve([&](const Request&, Exchange& exchange) {
    exchange.begin(529, {{"retry-after", "7"}});
    head_heard.wait();  // not a byte of the body before
    exchange.send("one");
    exchange.end();
  });
  Client client;
  std::string body;
  const ResponseSink sink{[&](const Response& head) -> Result<> {
                            EXPECT_EQ(head.status, 529);
                            EXPECT_EQ(head.headers.find("Retry-After"), "7");
                            head_heard.count_down();
                            return {};
                          },
                          [&](std::string_view bytes) -> Result<> {
                            body += bytes;
                            return {};
                          }};
  EXPECT_EQ(client.send({.url = server->url()}, sink).value().status, 529);
  EXPECT_EQ(body, "one");
}

TEST(HttpClient, APieceOfTheBodyComesBeforeTheNextIsSent) {
  std::latch first_heard(1);
  const auto server = serve([&](const Request&, Exchange& exchange) {
    exchange.begin(200, {});
    exchange.send("first");
    first_heard.wait();
    exchange.send("second");
    exchange.end();
  });
  Client client;
  std::vector<std::string> pieces;
  const ResponseSink sink{.body = [&](std::string_view bytes) -> Result<> {
    pieces.emplace_back(bytes);
    if (pieces.size() == 1) first_heard.count_down();
    return {};
  }};
  EXPECT_TRUE(client.send({.url = server->url()}, sink));
  EXPECT_EQ(pieces, (std::vector<std::string>{"first", "second"}));
}

TEST(HttpClient, SendsTheHeadersItIsGivenAndNoOthers) {
  Headers got;
  const auto server = serve([&](const Request& request, Exchange& exchange) {
    got = request.headers;
    exchange.respond({});
  });
  const ClientRequest request{.method = "POST",
                              .url = server->url(),
                              .headers = {{"x-api-key", "k"}, {"Empty", ""}, {"x-api-key", "l"}},
                              .body = "{}"};
  ASSERT_EQ(fetch(request).outcome(), "ok");
  const Headers expected{{"Host", server->url().substr(7)},
                         {"x-api-key", "k"},
                         {"Empty", ""},
                         {"x-api-key", "l"},
                         {"Content-Length", "2"}};
  EXPECT_EQ(got, expected);
}

TEST(HttpClient, EveryMethodGoesOutAsItIs) {
  const auto server = serve(echo_target);
  for (const auto* method : {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    EXPECT_EQ(fetch({.method = method, .url = server->url()}).body, std::string(method) + ":");
    EXPECT_EQ(fetch({.method = method, .url = server->url(), .body = "b"}).body,
              std::string(method) + ":b");
  }
  const auto head = fetch({.method = "HEAD", .url = server->url()});
  EXPECT_EQ(head.outcome(), "ok");
  EXPECT_EQ(head.heads, 1);
  EXPECT_EQ(head.body, "");
}

TEST(HttpClient, OneConnectionForManyRequests) {
  const auto server = serve(count);
  Client client;
  for (int i = 1; i <= 50; ++i) {
    EXPECT_EQ(fetch(client, {.url = server->url()}).body, std::to_string(i));
  }
}

TEST(HttpClient, ErrorsKeepTheConnectionToo) {
  const auto server = serve([](const Request&, Exchange& exchange) {
    thread_local int requests = 0;
    exchange.respond({529, {}, std::to_string(++requests)});
  });
  Client client;
  EXPECT_EQ(fetch(client, {.url = server->url()}).body, "1");
  EXPECT_EQ(fetch(client, {.url = server->url()}).body, "2");
}

TEST(HttpClient, AConnectionThatEndedMeanwhileIsReplaced) {
  auto server = serve(count);
  const auto port = server->port();
  Client client;
  EXPECT_EQ(fetch(client, {.url = server->url()}).body, "1");
  server.reset();
  server = serve(count, {.port = port});
  EXPECT_EQ(fetch(client, {.url = server->url()}).body, "1");
}

TEST(HttpClient, AKeptConnectionThatDoesNotAnswerIsTriedAnew) {
  const auto server = serve([](const Request& request, Exchange& exchange) {
    thread_local int requests = 0;
    if (++requests == 2) return exchange.reset();
    exchange.respond({200, {}, request.body + std::to_string(requests)});
  });
  Client client;
  const ClientRequest request{.method = "POST", .url = server->url(), .body = "n"};
  EXPECT_EQ(fetch(client, request).body, "n1");
  EXPECT_EQ(fetch(client, request).body, "n1");
}

TEST(HttpClient, TenMegabytesUpAndDown) {
  const auto server = serve([](const Request& request, Exchange& exchange) {
    exchange.respond({200, {}, request.body});
  });
  std::string body;
  while (body.size() < (std::size_t{10} << 20)) body += std::to_string(body.size()) + "\r\n";
  Client client;
  for (int i = 0; i < 2; ++i) {
    const auto heard = fetch(client, {.method = "POST", .url = server->url(), .body = body});
    EXPECT_EQ(heard.outcome(), "ok");
    EXPECT_TRUE(heard.body == body);
  }
}

TEST(HttpClient, HearsARefusalThatComesBeforeAllIsSent) {
  const auto server = serve(echo_target, {.limits = {.body = 1000}});
  Client client;
  const std::string body(std::size_t{10} << 20, 'x');
  EXPECT_EQ(fetch(client, {.method = "POST", .url = server->url(), .body = body}).head.status, 413);
  EXPECT_EQ(fetch(client, {.method = "POST", .url = server->url(), .body = "b"}).body, "POST:b");
}

TEST(HttpClient, AnAnswerWithoutALengthGoesToTheEnd) {
  const auto server = serve(raw("HTTP/1.1 200 OK\r\n\r\nall of it"));
  const auto heard = fetch({.url = server->url()});
  EXPECT_EQ(heard.outcome(), "ok");
  EXPECT_EQ(heard.body, "all of it");
}

TEST(HttpClient, InterimAnswersAreNotTheAnswer) {
  const auto server =
      serve(raw("HTTP/1.1 100 Continue\r\nx: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\ny: 2\r\n\r\n"
                "HTTP/1.1 404 Not Found\r\nz: 3\r\ncontent-length: 1\r\n\r\n!"));
  const auto heard = fetch({.url = server->url()});
  EXPECT_EQ(heard.heads, 1);
  EXPECT_EQ(heard.head.status, 404);
  EXPECT_EQ(heard.head.headers, (Headers{{"z", "3"}, {"content-length", "1"}}));
}

TEST(HttpClient, TrailersAreNotHeaders) {
  const auto server =
      serve(raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: t\r\n\r\n1\r\nx\r\n0\r\n"
                "t: 1\r\n\r\n"));
  const auto heard = fetch({.url = server->url()});
  EXPECT_EQ(heard.outcome(), "ok");
  EXPECT_EQ(heard.body, "x");
  EXPECT_FALSE(heard.sent->headers.find("t"));
}

// "hello" as gzip wrote it.
constexpr std::string_view kPacked(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05\x00"
    "\x00\x00",
    25);

TEST(HttpClient, UnpacksOnlyWhenAsked) {
  bool asked = false;
  const auto server = serve([&](const Request& request, Exchange& exchange) {
    asked = request.headers.has_word("accept-encoding", "gzip");
    exchange.respond({200, {{"content-encoding", "gzip"}}, std::string(kPacked)});
  });
  EXPECT_EQ(fetch({.url = server->url()}).body, kPacked);
  EXPECT_FALSE(asked);
  EXPECT_EQ(fetch({.url = server->url(), .form = BodyForm::decoded}).body, "hello");
  EXPECT_TRUE(asked);
}

TEST(HttpClient, ManyClientsInManyThreads) {
  constexpr int kThreads = 8;
  const auto server = serve(echo_target);
  std::latch all_here(kThreads);
  std::vector<std::jthread> threads;
  std::vector<int> right(kThreads, 0);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Client client;
      all_here.arrive_and_wait();
      for (int j = 0; j < 25; ++j) {
        const auto body = std::to_string(i * 1000 + j);
        const auto heard = fetch(client, {.method = "PUT", .url = server->url(), .body = body});
        if (heard.body == "PUT:" + body) ++right[static_cast<std::size_t>(i)];
      }
    });
  }
  threads.clear();
  EXPECT_EQ(right, std::vector<int>(kThreads, 25));
}

Handler redirecting_to(std::string where, int status = 302) {
  return [=](const Request& request, Exchange& exchange) {
    if (request.path == "/") return (void)exchange.respond({status, {{"location", where}}, "old"});
    const auto key = request.headers.find("x-api-key");
    exchange.respond({200, {}, request.target + " key=" + std::string(key.value_or("none"))});
  };
}

TEST(HttpClient, ARedirectionIsAnAnswer) {
  const auto server = serve(redirecting_to("/new"));
  const auto heard = fetch({.url = server->url()});
  EXPECT_EQ(heard.head.status, 302);
  EXPECT_EQ(heard.body, "old");
  EXPECT_EQ(fetch({.method = "POST", .url = server->url(), .max_redirects = 3}).head.status, 302);
}

TEST(HttpClient, FollowsARedirectionWhenAsked) {
  const auto server = serve(redirecting_to("/new?a=1"));
  const auto heard =
      fetch({.url = server->url(), .headers = {{"x-api-key", "k"}}, .max_redirects = 1});
  EXPECT_EQ(heard.heads, 1);
  EXPECT_EQ(heard.head.status, 200);
  EXPECT_EQ(heard.body, "/new?a=1 key=k");
}

TEST(HttpClient, AnotherOriginGetsNoHeaders) {
  const auto other = serve(redirecting_to("/"));
  const auto server = serve(redirecting_to(other->url() + "/there"));
  const auto heard =
      fetch({.url = server->url(), .headers = {{"x-api-key", "k"}}, .max_redirects = 1});
  EXPECT_EQ(heard.body, "/there key=none");
}

TEST(HttpClient, TheLastRedirectionOfACircleIsTheAnswer) {
  const auto server = serve(redirecting_to("/"));
  const auto heard = fetch({.url = server->url(), .max_redirects = 5});
  EXPECT_EQ(heard.heads, 1);
  EXPECT_EQ(heard.head.status, 302);
}

TEST(HttpClient, TheBodyOfAFollowedRedirectionHasAnEnd) {
  const auto server = serve([](const Request&, Exchange& exchange) {
    exchange.begin(302, {{"location", "/"}});
    const std::string piece(100'000, 'x');
    while (exchange.send(piece) == Peer::there) {
    }
  });
  EXPECT_EQ(fetch({.url = server->url(), .max_redirects = 1}).outcome(), "not_http");
}

TEST(HttpClient, ARedirectionToAnotherSchemeIsRefused) {
  const auto server = serve(redirecting_to("file:///etc/passwd"));
  const auto heard = fetch({.url = server->url(), .max_redirects = 5});
  EXPECT_FALSE(heard.sent);
  EXPECT_EQ(heard.body, "");
}

TEST(HttpClient, UsesTheProxyOfTheEnvironmentButNotForLoopback) {
  const auto proxy = serve([](const Request& request, Exchange& exchange) {
    exchange.respond({200, {}, "proxy for " + request.target});
  });
  const auto server = serve(echo_target);
  const auto away = "http://" + std::string(kUnknownName) + "/x";
  const Variable variable("http_proxy", proxy->url());
  EXPECT_EQ(fetch({.url = away}).body, "proxy for " + away);
  EXPECT_EQ(fetch({.url = server->url()}).body, "GET:");
  EXPECT_EQ(fetch({.url = "http://localhost:" + std::to_string(server->port())}).body, "GET:");

  Client through({.proxy = ProxyUse::environment});
  EXPECT_EQ(fetch(through, {.url = server->url() + "/y"}).body,
            "proxy for " + server->url() + "/y");
  Client direct({.proxy = ProxyUse::never});
  EXPECT_EQ(fetch(direct, {.url = away}).outcome(), "resolve");

  const Variable exception("no_proxy", std::string(kUnknownName));
  EXPECT_EQ(fetch({.url = away}).outcome(), "resolve");
}

TEST(HttpClient, ALibraryThatIsNotThereIsNamedWithItsPackage) {
  const auto loaded = load_curl("libcurl-not-there.so.4");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, Code::unavailable);
  EXPECT_NE(loaded.error().message.find("libcurl-not-there.so.4"), std::string::npos);
  EXPECT_NE(loaded.error().hint.find("libcurl4"), std::string::npos);
}

TEST(HttpClient, ALibraryWithoutTheFunctionsIsRefused) {
  const auto loaded = load_curl("libc.so.6");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().code, Code::unavailable);
}

}  // namespace
}  // namespace ralph::http
