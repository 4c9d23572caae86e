#pragma once
#include <optional>
#include <string>

#include "agent/mcp/exchanges.h"
#include "agent/mcp/transport.h"
#include "core/json/document.h"

namespace ralph::mcp {

/// Passes messages to servers that run inside the client of the agent. Thread-safe.
class ClientLink {
 public:
  virtual ~ClientLink() = default;
  /// Waits for the client's answer, which is there for notifications too. nullopt: without a time limit.
  virtual Result<json::Document> exchange(const std::string& server, const json::Document& message,
                                          std::optional<Millis> limit,
                                          const std::stop_token& stop) = 0;
};

/// A server inside the client.
class ClientTransport final : public Transport {
 public:
  ClientTransport(ClientLink& link, std::string server) : link_(link), server_(std::move(server)) {}
  ~ClientTransport() override { close(); }

  Result<> open(Receiver& receiver) override;
  void send(Outgoing message) override;
  bool flush(SteadyTime end, const std::stop_token& stop) override {
    return exchanges_.wait(end, stop);
  }
  void abandon(std::int64_t request) override { exchanges_.stop(request); }
  void begin_close() override { exchanges_.begin_close(); }
  void close() override { exchanges_.close(); }

 private:
  void exchange(const Outgoing& message, const std::stop_token& stop);

  ClientLink& link_;
  std::string server_;
  Receiver* receiver_ = nullptr;
  Exchanges exchanges_;
};

}  // namespace ralph::mcp
