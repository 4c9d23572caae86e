#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "api/client.h"
#include "api/failure.h"
#include "api/reply.h"
#include "http/sse_decoder.h"

namespace ralph::api {

/// Makes a reply of the events of a stream, and tells the listener each step. Any bytes end in a reply or a failure.
class Assembler {
 public:
  explicit Assembler(Listener& listener);
  ~Assembler();

  /// nullopt: go on. The event's own type and the data's may differ or be missing.
  std::optional<Failure> take(const http::SseEvent& event);
  const Reply& reply() const;
  Reply release();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A message asked for in one piece.
std::optional<Failure> read_message(std::string_view body, Reply& reply, Listener& listener);

}  // namespace ralph::api
