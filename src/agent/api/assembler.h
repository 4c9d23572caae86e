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

/// Assembles a reply from the events of a stream and reports each step to the listener. Any bytes give a reply or a
/// failure.
class Assembler {
 public:
  explicit Assembler(Listener& listener, std::string request_id = {});
  ~Assembler();

  /// nullopt: no error so far. The type in the event and the one in its data may differ or be missing.
  std::optional<Failure> take(const http::SseEvent& event);
  const Reply& reply() const;
  /// Counts the events that extend the reply: its start, a block, text in a block, its end. Keep-alives, unknown events,
  /// empty deltas and repeated events do not count.
  std::size_t progress() const;
  /// Whether an event or a block was reported to the listener.
  bool reported() const;
  /// Moves the reply out, including the block that is still open.
  Reply release();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads a message that was not streamed: blocks are reported, events are not.
std::optional<Failure> read_message(std::string_view body, Reply& reply, Listener& listener);

}  // namespace ralph::api
