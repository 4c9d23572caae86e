#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "mock/message.h"
#include "mock/scenario.h"
#include "system/http/exchange.h"
#include "system/http/message.h"

namespace ralph::mock {

/// Some bytes of a body, sent together.
struct Piece {
  std::string bytes;
  Millis pause{0};  // before them
};

/// An incident before a piece.
struct Moment {
  std::size_t position =
      0;  // kBodyStart plus the index in Playback::pieces, or a position in the head
  Incident incident;
};

/// An answer as bytes to send, with the incidents on the way.
struct Playback {
  enum class Framing { whole, stream };
  /// Positions 0 and 1 are the start and the middle of the head.
  static constexpr std::size_t kInHead = 1;
  static constexpr std::size_t kBodyStart = 2;

  int status = 200;
  http::Headers headers;
  Framing framing = Framing::whole;
  std::vector<Piece> pieces;
  std::vector<Moment> moments;  // in order
};

/// An answer without streaming.
Playback playback_of(http::Response response, const std::vector<Trouble>& troubles);

/// An answer as a stream of events.
Playback playback_of(const std::vector<Event>& events, const Reply& reply,
                     const std::vector<Trouble>& troubles);

/// Sends the answer until its end or until the client disconnects. Pieces without a pause between them are sent together.
void play(const Playback& playback, const http::Request& request, http::Exchange& exchange);

}  // namespace ralph::mock
