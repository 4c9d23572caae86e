#include <chrono>
#include <latch>
#include <thread>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "support/tcp_client.h"
#include "support/tcp_listener.h"
#include "system/http/client_harness.h"

namespace ralph::http {
namespace {

using test::TcpClient;
using test::TcpListener;

std::string outcome_of(Handler handler, ClientRequest request = {}) {
  const auto server = serve(std::move(handler));
  request.url = server->url();
  return fetch(request).outcome();
}

TEST(HttpFailure, ARefusedPort) {
  TcpListener listener;
  ASSERT_TRUE(listener.ok());
  const auto url = url_of(listener);
  listener.close();
  const auto heard = fetch({.url = url});
  EXPECT_EQ(heard.outcome(), "connect");
  EXPECT_TRUE(is_transient(heard.sent.error().failure));
  EXPECT_EQ(heard.sent.error().message,
            "connection refused to " + url.substr(std::string_view("http://").size()));
}

TEST(HttpFailure, ANameWithoutAnAddress) {
  Client client({.proxy = ProxyUse::never});
  EXPECT_EQ(fetch(client, {.url = "http://" + std::string(kUnknownName)}).outcome(), "resolve");
}

TEST(HttpFailure, AFailedLookUpLeavesTheClientUsable) {
  const auto server = serve([](const Request&, Exchange& exchange) {
    return exchange.respond({.status = 200, .headers = {}, .body = "back"});
  });
  Client client({.proxy = ProxyUse::never});
  const auto unknown = "http://" + std::string(kUnknownName);
  EXPECT_EQ(fetch(client, {.url = unknown}).outcome(), "resolve");
  EXPECT_EQ(fetch(client, {.url = unknown}).outcome(), "resolve");
  const auto heard = fetch(client, {.url = server->url()});
  EXPECT_EQ(heard.outcome(), "ok");
  EXPECT_EQ(heard.body, "back");
}

TEST(HttpFailure, AnAnswerCutInItsHeaders) {
  EXPECT_EQ(outcome_of(raw("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n")), "cut_in_head");
  EXPECT_EQ(outcome_of(raw("HTTP/1.1 200 OK\r\ncontent-le")), "cut_in_head");
  EXPECT_EQ(outcome_of(raw("HTTP/1.1 200 OK\r\n\r")), "cut_in_head");
  EXPECT_EQ(outcome_of(raw("HTTP/1.1 100 Continue\r\n\r\n")), "cut_in_head");
}

TEST(HttpFailure, AnAnswerCutInItsHeadersIsNotDelivered) {
  const auto server = serve(raw("HTTP/1.1 200 OK\r\ncontent-le"));
  const auto heard = fetch({.url = server->url()});
  EXPECT_EQ(heard.heads, 0);
  EXPECT_EQ(heard.body, "");
}

TEST(HttpFailure, AnAnswerCutInItsBody) {
  const auto server = serve(raw("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhal"));
  const auto heard = fetch({.url = server->url()});
  EXPECT_EQ(heard.outcome(), "cut_in_body");
  EXPECT_EQ(heard.heads, 1);
  EXPECT_EQ(heard.body, "hal");
  const std::string chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
  for (const auto* body : {"", "5\r\nhal", "5\r\nwhole\r\n", "5\r\nwhole\r\n0\r\n", "zz\r\n"}) {
    EXPECT_EQ(outcome_of(raw(chunked + body)), "cut_in_body") << body;
  }
}

TEST(HttpFailure, AResetWhereverItComes) {
  const auto reset_after = [](std::string bytes) {
    return [bytes](const Request&, Exchange& exchange) {
      exchange.send_raw(bytes);
      exchange.reset();
    };
  };
  EXPECT_EQ(outcome_of(reset_after("")), "reset");
  // A reset may overtake what was sent before it.
  const auto in_head = outcome_of(reset_after("HTTP/1.1 200 OK\r\nx: 1\r\n"));
  EXPECT_TRUE(in_head == "cut_in_head" || in_head == "reset") << in_head;
}

TEST(HttpFailure, AResetInTheBody) {
  std::latch head_heard(1);
  const auto server = serve([&](const Request&, Exchange& exchange) {
    exchange.send_raw("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n");
    head_heard.wait();
    exchange.reset();
  });
  Client client;
  const ResponseSink sink{.head = [&](const Response&) -> Result<> {
    head_heard.count_down();
    return {};
  }};
  const auto sent = client.send({.url = server->url()}, sink);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().failure, Failure::cut_in_body);
}

TEST(HttpFailure, AnEndWithoutALineOfAnAnswer) {
  EXPECT_EQ(outcome_of(raw("")), "reset");
  EXPECT_EQ(outcome_of(raw("HTTP/1.1 200 OK")), "reset");
}

TEST(HttpFailure, AnotherProtocol) {
  const auto server = serve(raw("SSH-2.0-OpenSSH_9.2p1\r\n"));
  const auto heard = fetch({.url = server->url()});
  EXPECT_EQ(heard.outcome(), "not_http");
  EXPECT_EQ(heard.sent.error().code, Code::malformed);
}

TEST(HttpFailure, APortWithoutTls) {
  const auto server = serve([](const Request&, Exchange& exchange) { exchange.respond({}); });
  const auto heard = fetch({.url = fmt::format("https://127.0.0.1:{}", server->port())});
  EXPECT_EQ(heard.outcome(), "tls");
}

TEST(HttpFailure, SilenceBeforeTheHeaders) {
  const auto silent = [](const Request&, Exchange& exchange) { exchange.wait(kLong); };
  EXPECT_EQ(outcome_of(silent, {.head_timeout = Millis{30}}), "head_timed_out");
}

TEST(HttpFailure, HeadersThatNeverEnd) {
  const auto dripping = [](const Request&, Exchange& exchange) {
    exchange.send_raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n");
    while (exchange.wait(Millis{5}) == Peer::there) exchange.send_raw("x: 1\r\n");
  };
  Client client({.max_headers = 1'000'000});
  const auto server = serve(dripping);
  EXPECT_EQ(fetch(client, {.url = server->url(), .head_timeout = Millis{40}}).outcome(),
            "head_timed_out");
}

TEST(HttpFailure, AStallInTheBody) {
  const auto server = serve([](const Request&, Exchange& exchange) {
    exchange.begin(200, {});
    exchange.send("something");
    exchange.wait(kLong);
  });
  const auto heard = fetch({.url = server->url(), .stall_timeout = Millis{30}});
  EXPECT_EQ(heard.outcome(), "body_stalled");
  EXPECT_EQ(heard.body, "something");
  EXPECT_EQ(heard.sent.error().message,
            "the answer stalled from " + server->url().substr(7) + ": waited 30ms");
}

/// Each byte restarts stall_timeout, but not total_timeout.
TEST(HttpFailure, AnEndlessBodyEndsWithTheTotalTimeout) {
  const auto server = serve([](const Request&, Exchange& exchange) {
    exchange.begin(200, {});
    while (exchange.wait(Millis{1}) == Peer::there) exchange.send("x");
  });
  const auto heard = fetch({.url = server->url(), .total_timeout = Millis{40}});
  EXPECT_EQ(heard.outcome(), "body_stalled");
  EXPECT_TRUE(heard.sent.error().message.contains("the limit is 40ms"))
      << heard.sent.error().message;
}

TEST(HttpFailure, TheTotalTimeoutIncludesRedirects) {
  const auto server = serve([](const Request&, Exchange& exchange) {
    exchange.wait(Millis{5});
    exchange.respond({302, {{"Location", "/again"}}, ""});
  });
  const auto heard =
      fetch({.url = server->url(), .total_timeout = Millis{40}, .max_redirects = 1'000'000});
  ASSERT_FALSE(heard.sent);
  EXPECT_TRUE(heard.sent.error().message.contains("the limit is 40ms"))
      << heard.sent.error().message;
}

TEST(HttpFailure, AServerThatDoesNotTakeTheBody) {
  TcpListener listener;
  UniqueFd connection;
  const std::jthread peer([&] { connection = listener.accept_first_byte(); });
  const auto heard = fetch({.method = "POST",
                            .url = url_of(listener),
                            .body = std::string(std::size_t{64} << 20, 'x'),
                            .head_timeout = Millis{100}});
  EXPECT_EQ(heard.outcome(), "head_timed_out");
}

TEST(HttpFailure, NoConnectionInTime) {
  TcpListener full(0);
  const TcpClient first(full.port());
  const auto heard = fetch({.url = url_of(full), .connect_timeout = Millis{50}});
  EXPECT_EQ(heard.outcome(), "connect_timed_out");
}

TEST(HttpFailure, ASinkThatRefuses) {
  const auto server = serve([](const Request&, Exchange& exchange) {
    exchange.begin(200, {});
    while (exchange.send("more") == Peer::there) {
    }
  });
  Client client;
  int calls = 0;
  const ResponseSink full{.body = [&](std::string_view) -> Result<> {
    ++calls;
    return fail(Code::storage, "the disk is full", "make room");
  }};
  const auto sent = client.send({.url = server->url()}, full);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().failure, Failure::sink);
  EXPECT_EQ(describe(sent.error()), "the disk is full (make room)");
  EXPECT_EQ(calls, 1);

  const ResponseSink choosy{
      .head = [](const Response&) -> Result<> { return fail(Code::limit, "not this one"); }};
  EXPECT_EQ(client.send({.url = server->url()}, choosy).error().message, "not this one");
}

TEST(HttpFailure, TheClientIsOfUseAfterAFailure) {
  const auto server = serve([](const Request& request, Exchange& exchange) {
    if (request.path == "/bad") return (void)exchange.send_raw("HTTP/1.1 200 OK\r\nx");
    exchange.respond({200, {}, "good"});
  });
  Client client;
  EXPECT_EQ(fetch(client, {.url = server->url() + "/bad"}).outcome(), "cut_in_head");
  EXPECT_EQ(fetch(client, {.url = server->url()}).body, "good");
}

TEST(HttpFailure, HeadsOverTheLimits) {
  const auto with_headers = [](std::size_t count, std::size_t size) {
    std::string bytes = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n";
    for (std::size_t i = 0; i < count; ++i) bytes += "x: " + std::string(size, 'v') + "\r\n";
    return raw(bytes + "\r\n");
  };
  EXPECT_EQ(outcome_of(with_headers(100, 600)), "ok");
  EXPECT_EQ(outcome_of(with_headers(1, 60'000)), "ok");
  EXPECT_EQ(outcome_of(with_headers(199, 1)), "ok");
  EXPECT_EQ(outcome_of(with_headers(200, 1)), "too_large");
  EXPECT_EQ(outcome_of(with_headers(100, 700)), "too_large");
  EXPECT_EQ(outcome_of(with_headers(1, 70'000)), "too_large");
  EXPECT_EQ(outcome_of(with_headers(1, 1'000'000)), "too_large");
}

TEST(HttpFailure, EndlessTrailersToo) {
  const auto server = serve([](const Request&, Exchange& exchange) {
    exchange.send_raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n");
    while (exchange.send_raw("t: 1\r\n") == Peer::there) {
    }
  });
  EXPECT_EQ(fetch({.url = server->url()}).outcome(), "too_large");
}

TEST(HttpFailure, RequestsThatCannotBeSent) {
  const std::vector<ClientRequest> bad{
      {.url = ""},
      {.url = "example.org"},
      {.url = "http://"},
      {.url = "file:///etc/passwd"},
      {.url = "http://127.0.0.1:99999/"},
      {.url = std::string("http://127.0.0.1:1/\0x", 21)},
      {.method = "GET / HTTP/1.1\r\nX:", .url = "http://127.0.0.1:1/"},
      {.method = "", .url = "http://127.0.0.1:1/"},
      {.url = "http://127.0.0.1:1/", .headers = {{"a b", "c"}}},
      {.url = "http://127.0.0.1:1/", .headers = {{"a", "b\r\nc: d"}}},
      {.url = "http://127.0.0.1:1/", .headers = {{"content-length", "5"}}},
  };
  for (const auto& request : bad) {
    const auto heard = fetch(request);
    EXPECT_EQ(heard.outcome(), "bad_request") << request.url;
    EXPECT_EQ(heard.sent.error().code, Code::usage) << request.url;
  }
}

TEST(HttpFailure, SecretsStayOutOfMessages) {
  const std::string user = "http://me:sesame@127.0.0.1:1/sesame?key=sesame";
  const std::vector<ClientRequest> requests{
      {.url = user},
      {.url = "me:sesame@127.0.0.1"},
      {.url = "https://me:sesame@127.0.0.1:99999"},
      {.url = user, .headers = {{"x-api-key", "sesame\n"}}},
      {.method = "sesame sesame", .url = user},
  };
  for (const auto& request : requests) {
    const auto heard = fetch(request);
    ASSERT_FALSE(heard.sent);
    EXPECT_EQ(describe(heard.sent.error()).find("sesame"), std::string::npos)
        << describe(heard.sent.error());
  }
}

TEST(HttpFailure, SecretsOfAProxyToo) {
  for (const auto* proxy : {"http://me:sesame@127.0.0.1:1", "odd://me:sesame@127.0.0.1:1",
                            "http://me:sesame@127.0.0.1:99999"}) {
    const Variable variable("http_proxy", proxy);
    const auto heard = fetch({.url = "http://" + std::string(kUnknownName)});
    ASSERT_FALSE(heard.sent);
    EXPECT_EQ(describe(heard.sent.error()).find("sesame"), std::string::npos)
        << describe(heard.sent.error());
  }
}

/// What the proxy says about the tunnel is not the answer.
TEST(HttpFailure, AProxyThatMakesNoTunnel) {
  for (const auto& [bytes, outcome] : {std::pair{"HTTP/1.1 407 No\r\nx: 1\r\n\r\n", "connect"},
                                       std::pair{"HTTP/1.1 200 OK\r\nx: 1\r\n\r\n", "tls"}}) {
    const auto proxy = serve(raw(bytes));
    const Variable variable("https_proxy", proxy->url());
    const auto heard = fetch({.url = "https://" + std::string(kUnknownName)});
    EXPECT_EQ(heard.outcome(), outcome);
    EXPECT_EQ(heard.heads, 0);
  }
}

}  // namespace
}  // namespace ralph::http
