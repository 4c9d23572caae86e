#pragma once
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "agent/mcp/exchanges.h"
#include "agent/mcp/http_peer.h"
#include "agent/mcp/transport.h"

namespace ralph::mcp {

/// Streamable HTTP: every message is a POST, answered with JSON or a stream of events; a GET stream brings what the server
/// sends on its own. The session of the server ends with the connection.
class HttpTransport final : public Transport {
 public:
  HttpTransport(std::string url, http::Headers headers)
      : peer_(std::move(url), std::move(headers)) {}
  ~HttpTransport() override { close(); }

  Result<> open(Receiver& receiver) override;
  void send(Outgoing message) override;
  bool flush(SteadyTime end, const std::stop_token& stop) override {
    return exchanges_.wait(end, stop);
  }
  void set_ready(const std::string& protocol_version) override;
  void abandon(std::int64_t request) override { exchanges_.stop(request); }
  void begin_close() override;
  void close() override;

 private:
  void post(const Outgoing& message, const std::stop_token& stop);
  void listen(const std::stop_token& stop);
  void take_session(const HttpAnswer& head);

  HttpPeer peer_;
  Receiver* receiver_ = nullptr;
  std::mutex mutex_;
  std::condition_variable_any stopping_;
  bool has_session_ = false;
  Exchanges exchanges_;
  std::jthread listener_;
  std::jthread ending_;
};

/// The older form of HTTP: a GET stream brings all messages of the server and names the URL for ours.
class SseTransport final : public Transport {
 public:
  SseTransport(std::string url, http::Headers headers)
      : peer_(std::move(url), std::move(headers)) {}
  ~SseTransport() override { close(); }

  Result<> open(Receiver& receiver) override;
  void send(Outgoing message) override;
  bool flush(SteadyTime end, const std::stop_token& stop) override {
    return exchanges_.wait(end, stop);
  }
  void abandon(std::int64_t request) override { exchanges_.stop(request); }
  void begin_close() override;
  void close() override;

 private:
  void listen(const std::stop_token& stop);
  void take_endpoint(const std::string& named);
  void post(const Outgoing& message, const std::stop_token& stop);

  HttpPeer peer_;
  Receiver* receiver_ = nullptr;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string endpoint_;  // empty: not known yet
  Exchanges exchanges_;
  std::jthread listener_;
};

/// The URL that `named` is, seen from `base`; an error: it is of another origin.
Result<std::string> same_origin_url(std::string_view base, std::string_view named);

}  // namespace ralph::mcp
