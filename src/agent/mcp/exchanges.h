#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "agent/mcp/transport.h"
#include "core/base/time.h"

namespace ralph::mcp {

/// Runs exchanges with a server at the same time, each on a thread of its own. Thread-safe.
class Exchanges {
 public:
  using Work = std::function<void(const Outgoing& message, const std::stop_token& stop)>;
  ~Exchanges() { close(); }

  /// Sends the message by `work`. A request is reported as lost if that cannot be started or throws.
  void send(Outgoing message, Receiver& receiver, Work work);
  /// Asks the exchange of a request to stop.
  void stop(std::int64_t request);
  /// Waits until none is running. False: some are at `end`, or after a stop request.
  bool wait(SteadyTime end, const std::stop_token& stop);
  /// Asks all to stop; no more are run.
  void begin_close();
  void close();

 private:
  struct Exchange {
    std::optional<std::int64_t> request;
    bool done = false;
    std::jthread thread = {};
  };
  /// False: there are too many, no thread can be started, or it is closed.
  bool start(std::optional<std::int64_t> request, std::function<void(const std::stop_token&)> work);
  void join_finished();

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Exchange> exchanges_;
  bool closed_ = false;
};

}  // namespace ralph::mcp
