#pragma once
#include <span>
#include <string_view>

#include "core/base/time.h"
#include "core/base/unique_fd.h"

namespace ralph::http {

/// Whether it still makes sense to answer. `gone`: the client hung up, or the server is stopping.
enum class Peer { there, gone };

/// One accepted connection, used by one thread. Every call that waits ends at once when `stop_fd`
/// becomes readable.
class Socket {
 public:
  Socket(UniqueFd fd, int stop_fd);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  /// What has come, at least a byte; empty: nothing will come any more.
  std::string_view receive(std::span<char> buffer);
  Peer send(std::string_view bytes);
  /// Passes the time, unless the client hangs up first; one that only closed its sending side
  /// counts as gone too. Nothing is sent to it any more.
  Peer wait(Millis duration);

  /// Ends with a TCP reset: the client's reads fail.
  void reset();
  /// Ends our sending side: what was sent arrives, then the end.
  void close();
  bool open() const { return open_; }

 private:
  enum class Woken { ready, timed_out, stopped };
  Woken poll_for(short events, Millis at_most);
  /// Reads what the client still sends, so that closing does not destroy our last answer on its
  /// way.
  void drain();

  UniqueFd fd_;
  int stop_fd_;
  bool open_ = true;
};

}  // namespace ralph::http
