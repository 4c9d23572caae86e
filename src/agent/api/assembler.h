#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/api/client.h"
#include "agent/api/failure.h"
#include "agent/api/reply.h"
#include "system/http/sse_decoder.h"

namespace ralph::api {

/// Assembles a reply from the events of a stream, and reports each step to the listener. Any bytes end in a reply or a failure.
class Assembler {
 public:
  explicit Assembler(Listener& listener, std::string request_id = {});
  ~Assembler();

  /// nullopt: go on. The event's own type and the data's may differ or be missing.
  std::optional<Failure> take(const http::SseEvent& event);
  const Reply& reply() const;
  /// Grows with every event that brings the reply forward: a head, a block, text in one, an ending. Keep-alives, unknown
  /// events, empty deltas and repetitions leave it as it is.
  std::size_t progress() const;
  /// Whether the listener has heard of an event or a block.
  bool reported() const;
  /// The reply, with the block that is still open.
  Reply release();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads a message that came in one piece: its blocks are reported, there are no events.
std::optional<Failure> read_message(std::string_view body, Reply& reply, Listener& listener);

}  // namespace ralph::api
