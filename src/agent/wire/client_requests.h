#pragma once
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "agent/wire/event_writer.h"
#include "agent/wire/input_line.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/json/document_value.h"

namespace ralph::wire {

/// Requests to the client, and its answers. Thread-safe; many can be open at once.
class ClientRequests {
 public:
  explicit ClientRequests(EventWriter& writer) : writer_(writer) {}

  /// Sends the request (an object with a `subtype`) and waits for the answer. After a stop request or `limit` the request
  /// is withdrawn. An error: the client's own, or there is no answer.
  Result<json::Document> ask(const json::Document& request, const std::stop_token& stop,
                             std::optional<Millis> limit = std::nullopt);
  /// Ignored if nothing waits for it: a second answer, or a late one.
  void accept(ControlResponse response);
  /// The client will answer no more.
  void close();

 private:
  struct Open {
    std::optional<Result<json::Document>> answer = {};
  };
  void withdraw(const std::string& id);

  EventWriter& writer_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, Open> open_;
  bool closed_ = false;
};

}  // namespace ralph::wire
