#pragma once
#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/time.h"
#include "system/http/failure.h"
#include "system/http/message.h"

namespace ralph::http {

/// The proxies are those of http_proxy, https_proxy, all_proxy and no_proxy.
enum class ProxyUse { environment_but_loopback, environment, never };
/// `decoded`: asks for compression and undoes it.
enum class BodyForm { as_sent, decoded };

struct ClientOptions {
  ProxyUse proxy = ProxyUse::environment_but_loopback;
  std::string ca_file;                           // trusts this bundle only; empty: the system's
  std::size_t max_head = std::size_t{64} << 10;  // bytes of all headers and trailers of an answer
  std::size_t max_headers = 200;
  /// Connects only to addresses of the public internet, checked when a connection is opened, whatever the name had
  /// resolved to before. A proxy of the environment is used for every host, and decides itself.
  bool public_only = false;
};

/// What is sent is exactly this, with Host and Content-Length. A timeout of 0 is none. The sink may
/// change stall_timeout while the answer comes.
struct ClientRequest {
  std::string method = "GET";
  std::string url;  // http:// or https://
  Headers headers;
  std::string body;
  BodyForm form = BodyForm::as_sent;
  Millis connect_timeout{30'000};
  Millis head_timeout{360'000};   // from the last byte sent to the end of the headers
  Millis stall_timeout{300'000};  // without a byte of the body
  Millis total_timeout{0};        // of the whole, with redirects
  /// A GET or HEAD without a body goes to where 3xx answers point, this often; to another origin
  /// without its headers. The last 3xx is an answer like any other, as it is for all else.
  int max_redirects = 0;
  /// Connects, with TLS and through a proxy, and sends nothing: the answer is empty.
  bool connect_only = false;
};

/// Where an answer goes while it comes. What they return ends the request when it is an error;
/// neither is called after the stop token asked to stop. Either may be empty.
struct ResponseSink {
  std::function<Result<>(const Response& head)> head;  // once, before any byte of the body
  std::function<Result<>(std::string_view bytes)> body;
};

/// The status and headers again once all is there (the body went to the sink), or why it is not.
using Sent = std::expected<Response, SendError>;

/// Sends requests and keeps connections for the next ones: HTTP/1.1, over TLS also HTTP/2. libcurl
/// is loaded by the first request. Any number of clients, each used by one thread at a time. A
/// request that a kept connection did not answer at all is sent again on a new one.
class Client {
 public:
  explicit Client(ClientOptions options = {});
  ~Client();
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;

  /// Returns when the answer is whole, or failed, or within milliseconds of a stop request.
  Sent send(const ClientRequest& request, const ResponseSink& sink,
            const std::stop_token& stop = {});

 private:
  class Pool;

  ClientOptions options_;
  std::unique_ptr<Pool> pool_;  // from the first request on
};

}  // namespace ralph::http
