#include <atomic>

#include "agent/wire/harness.h"
#include "system/http/server.h"

namespace ralph::wire {
namespace {

/// Hostile MCP servers over HTTP.
class HostileServer {
 public:
  enum class Fault { accepts_no_notification, ends_no_session };
  explicit HostileServer(Fault fault) : fault_(fault) {
    server_ =
        http::Server::start({}, [this](const http::Request& request, http::Exchange& exchange) {
          serve(request, exchange);
        }).value();
  }
  std::string config() const {
    return json::write(
        {{"mcpServers", {{"web", {{"type", "http"}, {"url", server_->url() + "/mcp"}}}}}});
  }
  bool was_left() {
    server_->stop();
    return left_;
  }

 private:
  void serve(const http::Request& request, http::Exchange& exchange) {
    const auto message = json::parse(request.body).value_or(Document::object());
    if (request.method == "DELETE") return drip(exchange);
    if (request.method == "GET") return (void)exchange.respond({405, {}, ""});
    if (!message.contains("id")) {
      if (fault_ == Fault::accepts_no_notification) exchange.wait(Millis{600'000});
      return (void)exchange.respond({202, {}, ""});
    }
    Document result{{"protocolVersion", "2025-06-18"}, {"capabilities", Document::object()}};
    exchange.respond({200,
                      {{"Content-Type", "application/json"}, {"Mcp-Session-Id", "1"}},
                      json::write({{"id", message["id"]}, {"result", std::move(result)}})});
  }
  /// Bytes until the client leaves, but not without end.
  void drip(http::Exchange& exchange) {
    exchange.begin(200, {});
    for (int i = 0; i < 3000 && !left_; ++i) {
      left_ =
          exchange.send("x") == http::Peer::gone || exchange.wait(Millis{10}) == http::Peer::gone;
    }
  }

  Fault fault_;
  std::atomic<bool> left_ = false;
  std::unique_ptr<http::Server> server_;  // last: its threads use the others
};

TEST(McpOverHttp, AServerThatAcceptsNoNotificationIsFailed) {
  HostileServer server(HostileServer::Fault::accepts_no_notification);
  Bench bench;
  bench.set("MCP_TIMEOUT=300");
  const auto ran = bench.ask("go", {"--mcp-config", server.config()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.result()["result"], "Hello.");
  EXPECT_EQ(ran.events()[0]["mcp_servers"][0]["status"], "failed");
  EXPECT_TRUE(
      ran.err.contains("MCP server 'web' (--mcp-config) failed to start: it did not accept "
                       "notifications/initialized in time"))
      << ran.err;
}

TEST(McpOverHttp, AServerCannotKeepTheAgentFromExiting) {
  HostileServer server(HostileServer::Fault::ends_no_session);
  const auto ran = [&] {
    Bench bench;
    return bench.ask("go", {"--mcp-config", server.config()});
  }();
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.events()[0]["mcp_servers"][0]["status"], "connected");
  EXPECT_TRUE(server.was_left());
}

}  // namespace
}  // namespace ralph::wire
