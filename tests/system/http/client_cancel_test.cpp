#include <fstream>
#include <latch>
#include <sstream>
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

/// Sends the request and asks it to stop as soon as `phase` returns, in another thread.
std::string stopped_in(const ClientRequest& request, const std::function<void()>& phase) {
  std::stop_source source;
  const std::jthread stopper([&] {
    phase();
    source.request_stop();
  });
  Client client;
  return fetch(client, request, source.get_token()).outcome();
}

ClientRequest patient(std::string url) {
  return {.url = std::move(url),
          .connect_timeout = Millis{0},
          .head_timeout = Millis{0},
          .stall_timeout = Millis{0}};
}

TEST(HttpCancel, BeforeAnything) {
  int requests = 0;
  const auto server = serve([&](const Request&, Exchange& exchange) {
    ++requests;
    exchange.respond({});
  });
  std::stop_source source;
  source.request_stop();
  Client client;
  EXPECT_EQ(fetch(client, {.url = server->url()}, source.get_token()).outcome(), "cancelled");
  EXPECT_EQ(requests, 0);
}

/// Whether some socket of this machine waits for that port to accept it.
bool somebody_connects_to(std::uint16_t port) {
  const auto wanted = fmt::format("0100007F:{:04X} 02", port);  // 02: SYN_SENT
  std::ostringstream all;
  all << std::ifstream("/proc/net/tcp").rdbuf();
  return all.str().find(wanted) != std::string::npos;
}

TEST(HttpCancel, WhileConnecting) {
  TcpListener full(0);
  const TcpClient first(full.port());
  EXPECT_EQ(stopped_in(patient(url_of(full)),
                       [&] {
                         while (!somebody_connects_to(full.port())) std::this_thread::yield();
                       }),
            "cancelled");
}

TEST(HttpCancel, InTheTlsHandshake) {
  TcpListener listener;
  UniqueFd connection;
  EXPECT_EQ(stopped_in(patient(url_of(listener, "https")),
                       [&] { connection = listener.accept_first_byte(); }),
            "cancelled");
}

TEST(HttpCancel, WhileSending) {
  TcpListener listener;
  UniqueFd connection;
  auto request = patient(url_of(listener));
  request.method = "POST";
  request.body = std::string(std::size_t{64} << 20, 'x');
  EXPECT_EQ(stopped_in(request, [&] { connection = listener.accept_first_byte(); }), "cancelled");
}

TEST(HttpCancel, BeforeTheHeadersInThemAndInTheBody) {
  for (const auto* bytes :
       {"", "HTTP/1.1 200 OK\r\nx: 1\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab"}) {
    std::latch phase(1);
    std::latch hung_up(1);
    const auto server = serve([&](const Request&, Exchange& exchange) {
      exchange.send_raw(bytes);
      phase.count_down();
      if (exchange.wait(kLong) == Peer::gone) hung_up.count_down();
    });
    EXPECT_EQ(stopped_in(patient(server->url()), [&] { phase.wait(); }), "cancelled") << bytes;
    hung_up.wait();  // the connection is not kept
  }
}

TEST(HttpCancel, ByTheSinkItself) {
  const auto server = serve([](const Request&, Exchange& exchange) {
    exchange.begin(200, {});
    while (exchange.send("more") == Peer::there) {
    }
  });
  std::stop_source source;
  Client client;
  int calls = 0;
  const ResponseSink sink{.body = [&](std::string_view) -> Result<> {
    ++calls;
    source.request_stop();
    return {};
  }};
  const auto sent = client.send({.url = server->url()}, sink, source.get_token());
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().failure, Failure::cancelled);
  EXPECT_FALSE(is_transient(sent.error().failure));
  EXPECT_EQ(calls, 1) << "nothing is delivered after the stop";
}

/// On a kept connection nothing but the stop request can wake the client.
TEST(HttpCancel, OnAKeptConnectionAndTheClientIsOfUseAfterwards) {
  std::latch phase(1);
  const auto server = serve([&](const Request& request, Exchange& exchange) {
    if (request.path == "/") return (void)exchange.respond({200, {}, "good"});
    phase.count_down();
    exchange.wait(kLong);
  });
  std::stop_source source;
  Client client;
  EXPECT_EQ(fetch(client, {.url = server->url()}).body, "good");
  {
    const std::jthread stopper([&] {
      phase.wait();
      source.request_stop();
    });
    EXPECT_EQ(fetch(client, patient(server->url() + "/slow"), source.get_token()).outcome(),
              "cancelled");
  }
  EXPECT_EQ(fetch(client, {.url = server->url()}).body, "good");
}

}  // namespace
}  // namespace ralph::http
