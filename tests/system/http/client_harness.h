#pragma once
#include <cstdlib>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "support/tcp_listener.h"
#include "system/http/client.h"
#include "system/http/server.h"

namespace ralph::http {

inline constexpr Millis kLong{600'000};
/// No name server is asked for it: its first part is too long.
inline constexpr std::string_view kUnknownName =
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.invalid";

inline std::unique_ptr<Server> serve(Handler handler, ServerOptions options = {}) {
  return Server::start(options, std::move(handler)).value();
}

inline std::string url_of(const test::TcpListener& listener, std::string_view scheme = "http") {
  return fmt::format("{}://127.0.0.1:{}", scheme, listener.port());
}

/// What came of a request, with all its sink heard.
struct Heard {
  Sent sent;
  int heads = 0;
  Response head;
  std::string body;

  /// "ok", or the name of the failure.
  std::string outcome() const { return sent ? "ok" : std::string(to_string(sent.error().failure)); }
};

inline Heard fetch(Client& client, const ClientRequest& request, std::stop_token stop = {}) {
  Heard heard;
  const ResponseSink sink{[&](const Response& head) -> Result<> {
                            ++heard.heads;
                            heard.head = head;
                            return {};
                          },
                          [&](std::string_view bytes) -> Result<> {
                            heard.body += bytes;
                            return {};
                          }};
  heard.sent = client.send(request, sink, std::move(stop));
  return heard;
}

inline Heard fetch(const ClientRequest& request) {
  Client client;
  return fetch(client, request);
}

/// Sets an environment variable for one test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

/// Answers with exactly these bytes, then the end of the connection.
inline Handler raw(std::string bytes) {
  return
      [bytes = std::move(bytes)](const Request&, Exchange& exchange) { exchange.send_raw(bytes); };
}

}  // namespace ralph::http
