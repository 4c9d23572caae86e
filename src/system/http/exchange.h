#pragma once
#include <string_view>

#include "core/base/time.h"
#include "system/http/message.h"
#include "system/http/socket.h"

namespace ralph::http {

/// The answer to one request, given by a handler in one of three ways: respond() with a whole one;
/// begin(), send() …, end() for a stream; or the calls below, which break the rules on purpose.
/// Whatever ends without a whole answer ends the connection. Used by the handler's thread only.
class Exchange {
 public:
  Exchange(const Request& request, Socket& socket);

  Peer respond(const Response& response);

  /// Sends the head at once. HTTP/1.1 clients get chunks, older ones the bytes and then the end.
  Peer begin(int status, Headers headers);
  /// Sends one piece at once. Gone: the client closed the connection; stop.
  Peer send(std::string_view piece);
  Peer end();

  /// Passes the time; ends early when the client hangs up or the server stops.
  Peer wait(Millis duration) { return socket_.wait(duration); }

  /// Exactly these bytes, whatever was or was not sent before.
  Peer send_raw(std::string_view bytes);
  /// Closes the connection at once: with a TCP reset, or as if the response were complete.
  void reset() { socket_.reset(); }
  void close() { socket_.close(); }

  /// Nothing was sent and the connection is open: another handler can respond.
  bool unanswered() const { return state_ == State::fresh && socket_.open(); }
  /// The answer is whole and the connection can take another request.
  bool reusable() const { return state_ == State::whole && keep_alive_ && socket_.open(); }

 private:
  enum class State { fresh, streaming, whole, raw };

  /// The bytes of the head: the handler's headers and those that HTTP requires.
  std::string head(int status, Headers headers) const;

  const Request& request_;
  Socket& socket_;
  State state_ = State::fresh;
  bool keep_alive_;
};

}  // namespace ralph::http
