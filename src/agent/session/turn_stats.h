#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "agent/api/usage.h"
#include "agent/session/turn_result.h"
#include "core/base/time.h"

namespace ralph::session {

/// What a turn counts and measures.
struct TurnStats {
  SteadyTime began;
  std::optional<Millis> to_request, to_stream, to_first_token;
  std::optional<FirstRequest> first_request;
  api::Usage usage;
  std::int64_t requests = 0;
  std::int64_t added_messages = 0;  // by us: tool results and nudges
  std::int64_t safety_stops = 0;    // answers a safety check ended
  std::string denials;              // JSON objects, joined by commas

  void fill(TurnResult& result) const;
};

}  // namespace ralph::session
