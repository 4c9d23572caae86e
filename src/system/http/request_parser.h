#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "system/http/message.h"

namespace ralph::http {

struct Limits {
  std::size_t head = std::size_t{64} << 10;  // request line, headers and trailers together
  std::size_t body = std::size_t{64} << 20;
  /// The limit for the body of one request, asked when its head is there; empty: `body`.
  std::function<std::size_t(const Request& head)> body_of = {};
};

/// Why a connection cannot go on: the status to answer with, and a sentence.
struct Refusal {
  int status = 400;
  std::string message;

  bool operator==(const Refusal&) const = default;
};

/// Cuts the bytes of one connection into requests (HTTP/1.0 and 1.1). Feed any pieces, then take
/// requests with next(); how the bytes were cut never changes what comes out. Strict where two
/// readers could disagree about where a request ends; a missing Host is fine.
class RequestParser {
 public:
  explicit RequestParser(Limits limits = {}) : limits_(std::move(limits)) {}

  void feed(std::string_view bytes);
  /// The next whole request; nullopt: feed more, unless refusal() is set.
  std::optional<Request> next();
  const std::optional<Refusal>& refusal() const { return refusal_; }
  /// The head is there, nothing of the body yet, and the client waits for "100 Continue".
  bool wants_continue() const;

 private:
  enum class State { request_line, headers, body, chunk_size, chunk, chunk_end, trailers, done };

  /// One step; false: needs more bytes, or refused.
  bool advance();
  bool advance_head_line();
  bool advance_body();
  bool advance_chunk_size();
  bool advance_chunk_end();
  bool refuse(int status, std::string message);

  /// The next line of at most `most` bytes, without its end; nullopt: not there yet, or refused.
  std::optional<std::string_view> take_line(std::size_t most, int status_if_longer);
  /// Moves up to `remaining_` buffered bytes into the body; true: all of them are there.
  bool take_data();
  bool read_request_line(std::string_view line);
  bool read_header(std::string_view line);
  bool begin_body();
  bool begin_length_body(std::string_view length);

  Limits limits_;
  std::size_t largest_body_ = 0;  // of this request
  State state_ = State::request_line;
  Request request_;
  std::optional<Refusal> refusal_;
  std::string buffer_;
  std::size_t position_ = 0;     // up to here the buffer is used
  std::size_t searched_ = 0;     // up to here there is no line end
  std::size_t head_used_ = 0;    // bytes counted against limits_.head
  std::uint64_t remaining_ = 0;  // bytes of the body, or of its current chunk, still to come
  bool body_started_ = false;    // a byte of the body, or of its framing, has come
};

}  // namespace ralph::http
