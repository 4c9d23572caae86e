#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <thread>

#include "core/base/result.h"
#include "core/base/unique_fd.h"
#include "system/http/exchange.h"
#include "system/http/message.h"
#include "system/http/request_parser.h"

namespace ralph::http {

struct ServerOptions {
  std::uint16_t port = 0;  // 0: any free one
  Limits limits = {};
  /// A Unix socket for the owner only, at this path, instead of a port. Removed by stop().
  std::filesystem::path unix_socket = {};
  std::size_t max_connections = 0;  // more are closed at once; 0: no limit
  /// Bytes of requests, of all connections together, that are held until they are answered; more get 503. 0: no limit.
  std::size_t max_held = 0;
};

/// Answers one request; called by one thread per connection, so by many at a time.
using Handler = std::function<void(const Request&, Exchange&)>;

/// An HTTP/1.1 server on 127.0.0.1 or a Unix socket, for tests and tools on this machine: one thread per connection,
/// no timeouts of its own, requests of one connection answered in order. Connections that were
/// opened before stop() are ended by it, streams too, within milliseconds.
class Server {
 public:
  /// Listens and serves until stop() or the end of the object.
  static Result<std::unique_ptr<Server>> start(const ServerOptions& options, Handler handler);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const { return port_; }
  /// "http://127.0.0.1:40123".
  std::string url() const;
  /// Returns once no handler runs any more; a handler that neither sends nor waits delays it.
  void stop();

 private:
  struct Connection;

  Server(ServerOptions options, Handler handler);
  void accept_all();
  void take_connection();
  void serve(UniqueFd fd);

  ServerOptions options_;
  Handler handler_;
  UniqueFd listener_;
  UniqueFd stop_;  // eventfd, readable once stop() was called
  std::uint16_t port_ = 0;
  std::atomic<std::size_t> held_ = 0;  // see ServerOptions::max_held
  std::list<Connection> connections_;  // of the accepting thread
  std::jthread acceptor_;
};

}  // namespace ralph::http
