#include <atomic>

#include "agent/mcp/harness.h"
#include "agent/mcp/http_transport.h"
#include "support/eventually.h"
#include "system/http/server.h"

namespace ralph::mcp {
namespace {

using http::Exchange;
using http::Request;

/// A server over streamable HTTP; a test replaces parts of it.
class Service {
 public:
  using Call = std::function<void(const json::Document& message, Exchange& exchange)>;
  explicit Service(Call call) : call_(std::move(call)) {
    server_ = http::Server::start({}, [this](const Request& request, Exchange& exchange) {
                handle(request, exchange);
              }).value();
  }

  ServerConfig config() const {
    ServerConfig config;
    config.name = "web";
    config.kind = ServerConfig::Kind::http;
    config.url = server_->url() + "/mcp";
    config.headers = {{"Authorization", "Bearer t1"}};
    return config;
  }
  static http::Response json_response(const json::Document& id, const json::Document& result) {
    return {200,
            {{"Content-Type", "application/json"}, {"Mcp-Session-Id", "session-1"}},
            json::write({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}})};
  }
  static std::string event(const json::Document& message) {
    return "event: message\ndata: " + json::write(message) + "\n\n";
  }
  static json::Document text(std::string_view text) {
    return {{"content", json::Document::array({{{"type", "text"}, {"text", text}}})}};
  }
  std::vector<std::string> seen() {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  int status = 200;  // of initialize
  std::string version = "2025-06-18";
  std::string silent_for;  // POSTs of this method get no response
  std::function<void(Exchange&)> on_delete;

 private:
  void handle(const Request& request, Exchange& exchange) {
    const auto message = json::parse(request.body).value_or(json::Document::object());
    const auto method = json::text(message, "method");
    const auto session = request.headers.find("mcp-session-id").value_or("-");
    {
      const std::lock_guard lock(mutex_);
      seen_.push_back(fmt::format("{} {} {}", request.method, method, session));
    }
    if (request.headers.find("authorization") != "Bearer t1") {
      exchange.respond({401, {}, "who are you?"});
    } else if (request.method == "DELETE" && on_delete) {
      on_delete(exchange);
    } else if (request.method != "POST") {
      exchange.respond({405, {}, ""});
    } else if (method == silent_for) {
      exchange.wait(Millis{600'000});
    } else if (!message.contains("id")) {
      exchange.respond({202, {}, ""});
    } else if (method == "initialize" && status != 200) {
      exchange.respond({status, {}, "broken"});
    } else if (method == "initialize") {
      exchange.respond(json_response(message["id"], {{"protocolVersion", version},
                                                     {"capabilities", {{"tools", {{"a", 1}}}}}}));
    } else if (method == "tools/list") {
      exchange.respond(
          json_response(message["id"], {{"tools", json::Document::array({{{"name", "get"}}})}}));
    } else {
      call_(message, exchange);
    }
  }

  Call call_;
  std::mutex mutex_;
  std::vector<std::string> seen_;
  std::unique_ptr<http::Server> server_;  // last: its threads use the others
};

TEST(McpHttp, AnswersComeAsJson) {
  Service service([](const json::Document& message, Exchange& exchange) {
    exchange.respond(Service::json_response(message["id"], Service::text("hello")));
  });
  {
    Session session;
    ASSERT_EQ(session.start(service.config()), "connected") << session.warnings;
    EXPECT_EQ(session.call("mcp__web__get"), "hello");
  }
  const auto seen = service.seen();
  ASSERT_GE(seen.size(), 5U);
  EXPECT_EQ(seen[0], "POST initialize -");
  EXPECT_EQ(seen[1], "POST notifications/initialized session-1");
  EXPECT_EQ(std::ranges::count(seen, "POST tools/call session-1"), 1);
  EXPECT_EQ(seen.back(), "DELETE  session-1");
}

TEST(McpHttp, AnswersComeAsEvents) {
  Service service([](const json::Document& message, Exchange& exchange) {
    exchange.begin(200, {{"Content-Type", "text/event-stream; charset=utf-8"}});
    exchange.send(": comment\n\n");
    exchange.send(Service::event(
        {{"method", "notifications/progress"}, {"params", {{"progressToken", message["id"]}}}}));
    exchange.send(Service::event({{"id", 99}, {"result", 1}}));
    exchange.send(Service::event({{"id", message["id"]}, {"result", Service::text("streamed")}}));
    exchange.end();
  });
  Session session;
  ASSERT_EQ(session.start(service.config()), "connected") << session.warnings;
  EXPECT_EQ(session.call("mcp__web__get"), "streamed");
}

TEST(McpHttp, BrokenAnswersFailTheCall) {
  std::function<void(const json::Document&, Exchange&)> act;
  Service service(
      [&](const json::Document& message, Exchange& exchange) { act(message, exchange); });
  Session session;
  ASSERT_EQ(session.start(service.config()), "connected") << session.warnings;
  act = [](const json::Document&, Exchange& exchange) { exchange.respond({500, {}, "oh\nno"}); };
  EXPECT_EQ(session.call("mcp__web__get"), "error: HTTP status 500: oh no (MCP server 'web')");
  act = [](const json::Document&, Exchange& exchange) { exchange.respond({200, {}, "<html>"}); };
  EXPECT_TRUE(session.call("mcp__web__get").contains("contains no answer"));
  act = [](const json::Document&, Exchange& exchange) {
    exchange.respond({302, {{"Location", "/x"}}, ""});
  };
  EXPECT_TRUE(session.call("mcp__web__get").contains("HTTP status 302"));
  act = [](const json::Document&, Exchange& exchange) {
    exchange.begin(200, {{"Content-Type", "text/event-stream"}});
    exchange.send("data: {\"id\":");
    exchange.reset();
  };
  EXPECT_TRUE(session.call("mcp__web__get").starts_with("error: "));
  act = [](const json::Document&, Exchange& exchange) {
    exchange.begin(200, {{"Content-Type", "application/json"}});
    const std::string block(1 << 20, 'x');
    while (exchange.send(block) == http::Peer::there) {
    }
  };
  EXPECT_TRUE(session.call("mcp__web__get").contains("a message of more than 16 MB"));
  act = [](const json::Document& message, Exchange& exchange) {
    exchange.respond(Service::json_response(message["id"], Service::text("fine")));
  };
  EXPECT_EQ(session.call("mcp__web__get"), "fine");
}

TEST(McpHttp, ASilentServerEndsInATimeout) {
  Service service([](const json::Document&, Exchange& exchange) { exchange.wait(Millis{60'000}); });
  Session session({.when = SearchPolicy::When::never}, Millis{200});
  ASSERT_EQ(session.start(service.config()), "connected") << session.warnings;
  EXPECT_TRUE(session.call("mcp__web__get").contains("no answer within 200ms"));
}

TEST(McpHttp, AServerThatDoesNotAcceptTheFirstNotificationFailsToStart) {
  Service service({});
  service.silent_for = "notifications/initialized";
  Session session({.when = SearchPolicy::When::never}, Millis{60'000}, Millis{300});
  EXPECT_EQ(session.start(service.config()), "failed");
  EXPECT_TRUE(session.warnings.contains("it did not accept notifications/initialized in time"))
      << session.warnings;
}

/// More than may be open at a time.
TEST(McpHttp, CancellationsThatAreNotAcceptedAreGivenUp) {
  std::atomic<bool> silent = true;
  Service service([&](const json::Document& message, Exchange& exchange) {
    if (silent) return (void)exchange.wait(Millis{600'000});
    exchange.respond(Service::json_response(message["id"], Service::text("fine")));
  });
  service.silent_for = "notifications/cancelled";
  Session session({.when = SearchPolicy::When::never}, Millis{200});
  ASSERT_EQ(session.start(service.config()), "connected") << session.warnings;
  std::vector<std::jthread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      for (int call = 0; call < 9; ++call) {
        tool::Workspace workspace(session.setup());
        const auto* const tool = session.servers.find("mcp__web__get");
        const auto outcome = tool->run(json::Document::object(), {}, workspace, {});
        EXPECT_TRUE(outcome.content.contains("no answer within 200ms")) << outcome.content;
      }
    });
  }
  callers.clear();
  silent = false;
  EXPECT_TRUE(test::eventually([&] { return session.call("mcp__web__get") == "fine"; }));
}

/// Sends until the client leaves, but not without end.
bool drips_until_gone(const std::function<http::Peer()>& drip, Exchange& exchange) {
  for (int i = 0; i < 3000; ++i) {
    if (drip() == http::Peer::gone || exchange.wait(Millis{10}) == http::Peer::gone) return true;
  }
  return false;
}

TEST(McpHttp, AResponseWithoutEndDoesNotDelayTheEndOfTheSession) {
  std::atomic<int> left = 0;
  const auto end_session = [&](std::function<void(Exchange&)> on_delete) {
    Service service({});
    service.on_delete = std::move(on_delete);
    Session session;
    ASSERT_EQ(session.start(service.config()), "connected") << session.warnings;
  };
  end_session([&](Exchange& exchange) {
    exchange.begin(200, {});
    left += drips_until_gone([&] { return exchange.send("x"); }, exchange) ? 1 : 0;
  });
  EXPECT_EQ(left, 1);
  end_session([&](Exchange& exchange) {
    exchange.send_raw("HTTP/1.1 200 OK\r\n");
    left += drips_until_gone([&] { return exchange.send_raw("x: 1\r\n"); }, exchange) ? 1 : 0;
  });
  EXPECT_EQ(left, 2);
}

TEST(McpHttp, FailuresToStartSayWhy) {
  Service service({});
  service.status = 503;
  Session session;
  EXPECT_EQ(session.start(service.config()), "failed");
  EXPECT_TRUE(session.warnings.contains("HTTP status 503: broken")) << session.warnings;
  service.status = 200;
  service.version = "2025-06-18\nX-Other: 1";
  auto stranger = service.config();
  stranger.name = "future";
  EXPECT_EQ(session.start(stranger), "failed");
  EXPECT_TRUE(session.warnings.contains("its protocol version '2025-06-18 X-Other: 1' is not"))
      << session.warnings;
  stranger.name = "stranger";
  stranger.headers.clear();
  EXPECT_EQ(session.start(stranger), "needs-auth");
  auto nowhere = service.config();
  nowhere.name = "nowhere";
  nowhere.url = "http://127.0.0.1:1/";
  EXPECT_EQ(session.start(nowhere), "failed");
}

/// The older protocol: one stream brings everything, and names the URL for messages.
TEST(McpSse, TalksOverTwoConnections) {
  std::mutex mutex;
  std::vector<std::string> queue;
  std::atomic<bool> over = false;
  const auto server =
      http::Server::start({}, [&](const Request& request, Exchange& exchange) {
        if (request.method == "GET") {
          exchange.begin(200, {{"Content-Type", "text/event-stream"}});
          exchange.send("event: endpoint\ndata: /messages?s=1\n\n");
          while (!over && exchange.wait(Millis{1}) == http::Peer::there) {
            const std::lock_guard lock(mutex);
            for (const auto& event : std::exchange(queue, {})) exchange.send(event);
          }
          return;
        }
        EXPECT_EQ(request.target, "/messages?s=1");
        const auto message = *json::parse(request.body);
        const auto method = json::text(message, "method");
        json::Document result = Service::text("by stream");
        if (method == "initialize") {
          result = {{"protocolVersion", "2024-11-05"}, {"capabilities", {{"tools", {{"a", 1}}}}}};
        }
        if (method == "tools/list")
          result = {{"tools", json::Document::array({{{"name", "get"}}})}};
        const std::lock_guard lock(mutex);
        if (message.contains("id"))
          queue.push_back(Service::event({{"id", message["id"]}, {"result", result}}));
        exchange.respond({202, {}, "Accepted"});
      }).value();
  ServerConfig config;
  config.name = "old";
  config.kind = ServerConfig::Kind::sse;
  config.url = server->url() + "/sse";
  Session session;
  ASSERT_EQ(session.start(config), "connected") << session.warnings;
  EXPECT_EQ(session.call("mcp__old__get"), "by stream");
  over = true;
  EXPECT_TRUE(
      test::eventually([&] { return session.servers.states()[0].status == ServerStatus::failed; }));
}

TEST(McpSse, TheEndpointIsOfTheSameOrigin) {
  const auto url = [](std::string_view base, std::string_view named) {
    return same_origin_url(base, named).value_or("refused");
  };
  EXPECT_EQ(url("http://h:1/a/sse?x", "/m"), "http://h:1/m");
  EXPECT_EQ(url("http://h:1/a/sse?x=/y", "m?s=1"), "http://h:1/a/m?s=1");
  EXPECT_EQ(url("http://h:1", "m"), "http://h:1/m");
  EXPECT_EQ(url("http://h:1/a", "http://h:1/m"), "http://h:1/m");
  for (const auto* other :
       {"http://h:2/m", "https://h:1/m", "http://evil/m", "http://h:1@evil/m"}) {
    EXPECT_EQ(url("http://h:1/a", other), "refused") << other;
  }
}

}  // namespace
}  // namespace ralph::mcp
