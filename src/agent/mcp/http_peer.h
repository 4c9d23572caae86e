#pragma once
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "system/http/client.h"

namespace ralph::mcp {

/// The body of a server's response, piece by piece: JSON or Server-Sent Events, by its content type.
struct HttpAnswer {
  int status = 0;
  http::Headers headers;
  std::string body;  // of JSON, or the beginning of an error's text
};

/// One URL of a server, with the headers that every request carries. Keeps connections. Thread-safe.
class HttpPeer {
 public:
  HttpPeer(std::string url, http::Headers headers)
      : url_(std::move(url)), headers_(std::move(headers)) {}

  const std::string& url() const { return url_; }
  /// Sent from now on with every request, in place of one of the same name.
  void set_header(const std::string& name, const std::string& value);

  using OnEvent = std::function<void(const std::string& type, const std::string& data)>;
  using OnHead = std::function<void(const HttpAnswer& head)>;
  /// POSTs a message to `url`, or gets `url` if it is empty, and passes on the events of a stream. Ends at the
  /// limit or a stop request. An error: no answer, a status other than 2xx (Code::permission: 401 and 403), a body that is
  /// too large.
  Result<HttpAnswer> exchange(const std::string& url, std::string_view message,
                              std::optional<Millis> limit, const OnHead& on_head,
                              const OnEvent& on_event, const std::stop_token& stop);
  /// Ends the session at the server; takes a second at most, whatever the server does.
  void end_session();

 private:
  http::Client take_client();
  void return_client(http::Client client);
  http::ClientRequest make_request(const std::string& method, const std::string& url);

  std::string url_;
  std::mutex mutex_;
  http::Headers headers_;
  std::vector<http::Client> idle_;
};

}  // namespace ralph::mcp
