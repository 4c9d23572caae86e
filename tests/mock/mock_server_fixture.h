#pragma once
#include <memory>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/json/document.h"
#include "mock/server.h"
#include "support/tcp_client.h"

namespace ralph::mock {

/// A mock with a client that keeps its connection.
class MockServer : public testing::Test {
 protected:
  void start(std::string_view scenario, const ServerOptions& options = {}) {
    auto read = read_scenario(scenario, "s.json");
    ASSERT_TRUE(read) << describe(read.error());
    server_ = Server::start(*std::move(read), options).value();
    client_ = std::make_unique<test::TcpClient>(server_->port());
  }

  std::string send(std::string_view method, std::string_view target, std::string_view body = {},
                   std::string_view headers = {}) {
    client_->say(fmt::format("{} {} HTTP/1.1\r\n{}Content-Length: {}\r\n\r\n{}", method, target,
                             headers, body.size(), body));
    if (method == "HEAD") return client_->hear_until("\r\n\r\n");
    return client_->hear_answer();
  }
  /// Everything that comes for a request with "stream": true, until the connection or the stream
  /// ends.
  std::string ask_stream(std::string_view version = "1.0") {
    const auto body = request("hi", "m", true);
    client_->say(fmt::format("POST /v1/messages HTTP/{}\r\nContent-Length: {}\r\n\r\n{}", version,
                             body.size(), body));
    return client_->hear_all();
  }
  void connect_again() { client_ = std::make_unique<test::TcpClient>(server_->port()); }
  std::string ask(std::string_view text = "hi", std::string_view model = "m") {
    return send("POST", "/v1/messages", request(text, model));
  }
  static std::string request(std::string_view text, std::string_view model, bool stream = false) {
    return fmt::format(
        R"({{"model":"{}","max_tokens":9,"stream":{},"messages":[{{"role":"user","content":[{{"type":"text","text":"{}"}}]}}]}})",
        model, stream, text);
  }
  static json::Document body_of(const std::string& answer) {
    return json::parse(answer.substr(answer.find("\r\n\r\n") + 4)).value();
  }
  static std::string text_of(const std::string& answer) {
    return body_of(answer)["content"][0]["text"].get<std::string>();
  }

  std::unique_ptr<Server> server_;
  std::unique_ptr<test::TcpClient> client_;
};

}  // namespace ralph::mock
