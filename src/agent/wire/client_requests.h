#pragma once
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

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
  /// Tells the client that open requests of this subtype need no answer. Their ask() still waits, for its stop request or
  /// for end_withdrawn().
  void withdraw(std::string_view subtype);
  void end_withdrawn();
  /// The requests of this subtype that wait for an answer: an array of `control_request` objects.
  json::Document waiting(std::string_view subtype);
  /// The client will answer no more.
  void close();

 private:
  struct Open {
    json::Document request;
    std::optional<Result<json::Document>> answer = {};
    bool withdrawn = false;
    bool ended = false;
    bool is(std::string_view subtype) const;
  };
  Result<std::string> send(const json::Document& request);
  void write_withdrawal(const std::string& id);

  EventWriter& writer_;
  std::mutex writing_;  // a request is written before its withdrawal; locked before mutex_
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, Open> open_;
  bool closed_ = false;
};

}  // namespace ralph::wire
