#include "system/http/server.h"

#include <atomic>
#include <future>
#include <latch>
#include <semaphore>
#include <thread>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "support/tcp_client.h"
#include "system/http/client_harness.h"

namespace ralph::http {
namespace {

using test::TcpClient;

void echo(const Request& request, Exchange& exchange) {
  exchange.respond({200, {{"x-path", request.path}}, request.method + ":" + request.body});
}

std::string body_of(const std::string& answer) {
  return answer.substr(answer.find("\r\n\r\n") + 4);
}

TEST(HttpServer, AnswersExactly) {
  const auto server = serve(echo);
  TcpClient client(server->port());
  client.say("POST /a HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi");
  EXPECT_EQ(client.hear_answer(),
            "HTTP/1.1 200 OK\r\nx-path: /a\r\ncontent-length: 7\r\n\r\nPOST:hi");
}

TEST(HttpServer, KeepsTheConnection) {
  const auto server = serve(echo);
  TcpClient client(server->port());
  for (int i = 0; i < 50; ++i) {
    client.say("GET / HTTP/1.1\r\n\r\n");
    EXPECT_EQ(body_of(client.hear_answer()), "GET:");
  }
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
  const auto server = serve(echo);
  TcpClient client(server->port());
  client.say(
      "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n1POST / HTTP/1.1\r\nContent-Length: 1"
      "\r\n\r\n2GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(body_of(client.hear_answer()), "POST:1");
  EXPECT_EQ(body_of(client.hear_answer()), "POST:2");
  EXPECT_NE(client.hear_all().find("connection: close"), std::string::npos);
}

TEST(HttpServer, AHeadRequestGetsNoBody) {
  const auto server = serve(echo);
  TcpClient client(server->port());
  client.say("HEAD /x HTTP/1.1\r\nConnection: close\r\n\r\n");
  const auto answer = client.hear_all();
  EXPECT_TRUE(answer.ends_with("content-length: 5\r\nconnection: close\r\n\r\n")) << answer;
}

TEST(HttpServer, SaysContinueToAClientThatWaits) {
  const auto server = serve(echo);
  TcpClient client(server->port());
  client.say("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.hear_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.say("ok");
  EXPECT_EQ(body_of(client.hear_answer()), "POST:ok");
}

TEST(HttpServer, RefusesABodyOverTheLimitAndTheAnswerArrives) {
  const auto server = serve(echo, {.limits = {.body = 1000}});
  TcpClient client(server->port());
  client.say("POST / HTTP/1.1\r\nContent-Length: 100000\r\n\r\n");
  client.say(std::string(100'000, 'x'));
  EXPECT_TRUE(client.hear_all().starts_with("HTTP/1.1 413 Content Too Large\r\n"));
}

TEST(HttpServer, RefusesAHeadOverTheLimit) {
  const auto server = serve(echo);
  TcpClient client(server->port());
  client.say("GET / HTTP/1.1\r\na: " + std::string(70'000, 'x') + "\r\n\r\n");
  EXPECT_TRUE(client.hear_all().starts_with("HTTP/1.1 431 "));
}

TEST(HttpServer, TakesLargeBodies) {
  const auto server = serve([](const Request& request, Exchange& exchange) {
    exchange.respond({200, {}, std::to_string(request.body.size())});
  });
  const std::string body(std::size_t{32} << 20, 'x');
  TcpClient client(server->port());
  client.say("POST / HTTP/1.1\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n");
  client.say(body);
  EXPECT_EQ(body_of(client.hear_answer()), std::to_string(body.size()));
}

TEST(HttpServer, HoldsOnlySoManyBytesOfAllRequestsTogether) {
  std::latch holds(1), go(1);
  const auto server = serve(
      [&](const Request& request, Exchange& exchange) {
        if (request.path == "/hold") {
          holds.count_down();
          go.wait();
        }
        exchange.respond({200, {}, ""});
      },
      {.max_held = 10'000});
  const auto post = [](std::string_view path, std::size_t length) {
    return fmt::format("POST {} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{}", path, length,
                       std::string(length, 'x'));
  };
  TcpClient holder(server->port());
  holder.say(post("/hold", 8000));
  holds.wait();
  TcpClient refused(server->port());
  refused.say(post("/", 5000));
  EXPECT_TRUE(refused.hear_all().starts_with("HTTP/1.1 503 "));
  TcpClient small(server->port());
  small.say(post("/", 100));
  EXPECT_TRUE(small.hear_answer().starts_with("HTTP/1.1 200 "));
  go.count_down();
  EXPECT_TRUE(holder.hear_answer().starts_with("HTTP/1.1 200 "));
  holder.say(post("/", 5000));
  EXPECT_TRUE(holder.hear_answer().starts_with("HTTP/1.1 200 ")) << "given back with the answer";
}

void stream_two(const Request&, Exchange& exchange) {
  exchange.begin(200, {{"content-type", "text/event-stream"}});
  exchange.send("one");
  exchange.send("");
  exchange.send("second piece");
  exchange.end();
}

TEST(HttpServer, StreamsInChunksAndKeepsTheConnection) {
  const auto server = serve(stream_two);
  TcpClient client(server->port());
  for (int i = 0; i < 2; ++i) {
    client.say("GET / HTTP/1.1\r\n\r\n");
    EXPECT_EQ(client.hear_until("0\r\n\r\n"),
              "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked"
              "\r\n\r\n3\r\none\r\nc\r\nsecond piece\r\n0\r\n\r\n");
  }
}

TEST(HttpServer, AnOldClientGetsTheStreamUntilTheEnd) {
  const auto server = serve(stream_two);
  TcpClient client(server->port());
  client.say("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(body_of(client.hear_all()), "onesecond piece");
}

TEST(HttpServer, AHandlerThatForgetsToAnswerIsAnError) {
  const auto server = serve([](const Request&, Exchange&) {});
  TcpClient client(server->port());
  client.say("GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(client.hear_answer().starts_with("HTTP/1.1 500 "));
}

TEST(HttpServer, SixtyFourClientsAtTheSameTime) {
  constexpr int kClients = 64;
  std::latch all_here(kClients);
  const auto server = serve([&](const Request& request, Exchange& exchange) {
    all_here.arrive_and_wait();  // nobody is answered before everybody has asked
    echo(request, exchange);
  });
  std::vector<std::unique_ptr<TcpClient>> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<TcpClient>(server->port()));
    ASSERT_TRUE(clients.back()->connected());
    const auto body = std::to_string(100 + i);
    clients.back()->say("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n" + body);
  }
  for (int i = 0; i < kClients; ++i) {
    const auto expected = "POST:" + std::to_string(100 + i);
    EXPECT_EQ(body_of(clients[static_cast<std::size_t>(i)]->hear_answer()), expected);
  }
}

TEST(HttpServer, StopsWhileAStreamIsOpen) {
  std::promise<Peer> seen;
  auto server = serve([&](const Request&, Exchange& exchange) {
    exchange.begin(200, {});
    exchange.send("first");
    seen.set_value(exchange.wait(kLong));
  });
  TcpClient client(server->port());
  client.say("GET / HTTP/1.1\r\n\r\n");
  client.hear_until("first\r\n");
  TcpClient idle(server->port());
  server->stop();
  EXPECT_EQ(seen.get_future().get(), Peer::gone);
  EXPECT_EQ(client.hear_all(), "") << "no last chunk: the stream was cut";
  EXPECT_EQ(idle.hear_all(), "");
}

TEST(HttpServer, StopsWhileAClientDoesNotRead) {
  std::promise<Peer> seen;
  std::binary_semaphore started(0);
  auto server = serve([&](const Request&, Exchange& exchange) {
    exchange.begin(200, {});
    started.release();
    const std::string piece(std::size_t{1} << 20, 'x');
    while (exchange.send(piece) == Peer::there) {
    }
    seen.set_value(Peer::gone);
  });
  TcpClient client(server->port());
  client.say("GET / HTTP/1.1\r\n\r\n");
  started.acquire();
  server->stop();
  EXPECT_EQ(seen.get_future().get(), Peer::gone);
}

TEST(HttpServer, NoticesThatTheClientHungUp) {
  std::promise<Peer> seen;
  const auto server = serve([&](const Request&, Exchange& exchange) {
    exchange.begin(200, {});
    exchange.send("first");
    seen.set_value(exchange.wait(kLong));
  });
  TcpClient client(server->port());
  client.say("GET / HTTP/1.1\r\n\r\n");
  client.hear_until("first\r\n");
  client.close();
  EXPECT_EQ(seen.get_future().get(), Peer::gone);
}

TEST(HttpServer, WaitsWhileTheClientListens) {
  const auto server = serve([](const Request&, Exchange& exchange) {
    const bool there = exchange.wait(Millis{1}) == Peer::there;
    exchange.respond({200, {}, there ? "there" : "gone"});
  });
  TcpClient client(server->port());
  client.say("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(body_of(client.hear_answer()), "there");
}

TEST(HttpMisbehaviour, RawBytesGoOutAsTheyAre) {
  const auto server = serve([](const Request&, Exchange& exchange) {
    exchange.send_raw("HTTP/1.1 200 OK\r\ntransfer-enc");
  });
  TcpClient client(server->port());
  client.say("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.hear_all(), "HTTP/1.1 200 OK\r\ntransfer-enc");
  EXPECT_EQ(client.error_number(), 0);
}

TEST(HttpMisbehaviour, ABadChunkInsideAStream) {
  const auto server = serve([](const Request&, Exchange& exchange) {
    exchange.begin(200, {});
    exchange.send("good");
    exchange.send_raw("zz\r\n");
  });
  TcpClient client(server->port());
  client.say("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(body_of(client.hear_all()), "4\r\ngood\r\nzz\r\n");
}

TEST(HttpMisbehaviour, AResetIsAnErrorAtTheClient) {
  const auto server = serve([](const Request&, Exchange& exchange) { exchange.reset(); });
  TcpClient client(server->port());
  client.say("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.hear_all(), "");
  EXPECT_EQ(client.error_number(), ECONNRESET);
}

TEST(HttpMisbehaviour, CloseEndsInsideTheAnswer) {
  const auto server = serve([](const Request&, Exchange& exchange) {
    exchange.begin(200, {});
    exchange.send("half");
    exchange.close();
    EXPECT_EQ(exchange.send("more"), Peer::gone);
  });
  TcpClient client(server->port());
  client.say("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(body_of(client.hear_all()), "4\r\nhalf\r\n");
  EXPECT_EQ(client.error_number(), 0);
}

TEST(HttpServer, APortInUseIsNamed) {
  const auto server = serve(echo);
  const auto second = Server::start({.port = server->port()}, echo);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find(std::to_string(server->port())), std::string::npos);
  EXPECT_NE(second.error().hint, "");
}

TEST(HttpServer, ThePortCanBeUsedAgainAtOnce) {
  auto first = serve(echo);
  const auto port = first->port();
  TcpClient client(port);
  client.say("GET / HTTP/1.1\r\n\r\n");
  client.hear_answer();
  first.reset();
  EXPECT_TRUE(Server::start({.port = port}, echo));
}

}  // namespace
}  // namespace ralph::http
