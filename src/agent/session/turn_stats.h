#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "agent/api/usage.h"
#include "agent/session/turn_result.h"
#include "core/base/time.h"

namespace ralph::session {

/// Counters and times of a turn.
struct TurnStats {
  SteadyTime began;
  std::optional<Millis> to_request, to_stream, to_first_token;
  std::optional<FirstRequest> first_request;
  api::Usage usage;
  std::int64_t requests = 0;
  std::int64_t added_messages = 0;  // tool results and messages of the agent
  std::int64_t safety_stops = 0;    // replies that a safety check stopped
  std::vector<Denial> denials;

  void fill(TurnResult& result) const;
};

}  // namespace ralph::session
