#pragma once
// Private to this module's .cpp files.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "agent/mcp/message_impl.h"
#include "agent/mcp/transport.h"
#include "core/base/time.h"

namespace ralph::mcp {

/// How long to wait for an answer. Progress of the request restarts `silence`, but not `total`.
struct AnswerLimits {
  Millis silence;
  Millis total;
};

/// JSON-RPC with one server: pairs requests with answers and answers what the server asks. Whatever a server sends, memory
/// is bounded and every request ends by its limits. Thread-safe.
class Connection final : private Receiver {
 public:
  /// `roots`: JSON, the answer to roots/list.
  Connection(std::unique_ptr<Transport> transport, std::string roots);
  ~Connection() override;

  Result<> open() { return transport_->open(*this); }
  /// Sends a request and waits for its answer. After a stop request or a limit the server is told that it is cancelled.
  Result<json::Document> request(std::string_view method, json::Document params,
                                 const AnswerLimits& limits, const std::stop_token& stop);
  /// Returns when the server has it. An error: not by `end`, or stopped.
  Result<> notify(std::string_view method, SteadyTime end, const std::stop_token& stop);
  void set_ready(const std::string& protocol_version) { transport_->set_ready(protocol_version); }

  /// Whether the server announced other tools since the last call.
  bool take_tools_changed() { return tools_changed_.exchange(false); }
  void set_tools_changed() { tools_changed_ = true; }
  /// Why the connection ended; nullopt: it is open.
  std::optional<Error> closed() const;
  /// The error with what the server printed for people.
  Error explained(Error error) const;

  void begin_close() { transport_->begin_close(); }
  void close() { transport_->close(); }

 private:
  /// What came of a request.
  struct Reply {
    Result<json::Document> answer;
    bool pending = false;  // the server may still work on it
  };
  struct Open {
    SteadyTime touched;
    std::optional<Result<json::Document>> answer = {};
  };
  void on_message(std::string_view text) override;
  void on_lost(std::int64_t request, const Error& why) override;
  void on_closed(const Error& why) override;

  void accept(Answer& answer);
  void answer_server(const ServerRequest& request);
  void take_note(const Notification& notification);
  void note_garbage(std::string_view text);
  Reply wait_for(std::int64_t id, const AnswerLimits& limits, const std::stop_token& stop);
  void cancel(std::int64_t id, std::string_view why, Millis limit);

  std::string roots_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::int64_t, Open> open_;
  std::int64_t next_id_ = 0;
  std::optional<Error> closed_;
  int answers_left_;  // to requests of the server
  std::size_t garbage_ = 0;
  std::string first_garbage_;
  std::atomic<bool> tools_changed_ = false;
  std::unique_ptr<Transport> transport_;  // last: its threads use the others
};

}  // namespace ralph::mcp
