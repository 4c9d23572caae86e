#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "system/http/exchange.h"
#include "system/http/message.h"
#include "mock/message.h"
#include "mock/scenario.h"

namespace ralph::mock {

/// Some bytes of a body, sent together.
struct Piece {
  std::string bytes;
  Millis pause{0};  // before them
};

/// Something that goes wrong in front of a piece.
struct Moment {
  std::size_t position = 0;  // of Performance::pieces, behind kBodyStart
  Incident incident;
};

/// An answer as it will go over the wire, with all that goes wrong on the way.
struct Performance {
  enum class Framing { whole, stream };
  /// Positions 0 and 1 are the start and the middle of the head.
  static constexpr std::size_t kInHead = 1;
  static constexpr std::size_t kBodyStart = 2;

  int status = 200;
  http::Headers headers;
  Framing framing = Framing::whole;
  std::vector<Piece> pieces;
  std::vector<Moment> moments;  // in the order they happen
};

/// A whole answer.
Performance performance_of(http::Response response, const std::vector<Trouble>& troubles);

/// A stream of events as the reply wants them.
Performance performance_of(const std::vector<Event>& events, const Reply& reply,
                           const std::vector<Trouble>& troubles);

/// Plays it to its end, or until the client is gone. What needs no pause goes out in large writes;
/// nothing is held back when one follows.
void perform(const Performance& performance, const http::Request& request,
             http::Exchange& exchange);

}  // namespace ralph::mock
