#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/base/time.h"

namespace ralph::mcp {

/// The largest message of a server that is read.
inline constexpr std::size_t kLargestMessage = std::size_t{16} << 20;

/// How long a message without an answer may take to be sent.
inline constexpr Millis kNotificationLimit{10'000};

/// Gets what a server sends, from threads of the transport.
class Receiver {
 public:
  virtual ~Receiver() = default;
  /// A message as it came; not checked.
  virtual void on_message(std::string_view text) = 0;
  /// The request gets no answer, unless it came already.
  virtual void on_lost(std::int64_t request, const Error& why) = 0;
  /// Nothing more will come.
  virtual void on_closed(const Error& why) = 0;
};

/// A message to a server.
struct Outgoing {
  std::string json;
  std::optional<std::int64_t> request = {};  // its id; nullopt: it has no answer
  Millis limit = kNotificationLimit;         // a message without an answer is given up then

  /// Requests have no limit of their own: the transport works on them until abandon().
  std::optional<Millis> time_limit() const { return request ? std::nullopt : std::optional(limit); }
};

/// Carries messages to one server and back. Thread-safe after open().
class Transport {
 public:
  virtual ~Transport() = default;
  /// Called once, before anything is sent. The receiver outlives the transport.
  virtual Result<> open(Receiver& receiver) = 0;
  /// Does not wait for the server.
  virtual void send(Outgoing message) = 0;
  /// Waits until what was sent has reached the server or was given up, where the order is not kept otherwise. False: not by
  /// `end`, or stopped.
  virtual bool flush(SteadyTime /*end*/, const std::stop_token& /*stop*/) { return true; }
  /// The handshake is complete; the version is the one that the server chose.
  virtual void set_ready(const std::string& /*protocol_version*/) {}
  /// Nobody waits for the answer any more.
  virtual void abandon(std::int64_t /*request*/) {}
  /// Starts the end of the connection; does not wait.
  virtual void begin_close() = 0;
  /// Ends the connection; afterwards the receiver gets no more calls.
  virtual void close() = 0;
  /// What the server printed for people; empty: nothing.
  virtual std::string server_log() const { return {}; }
};

}  // namespace ralph::mcp
