#include "agent/session/turn_stats.h"

namespace ralph::session {

void TurnStats::fill(TurnResult& result) const {
  result.num_turns = 1 + added_messages;
  result.usage = usage;
  result.duration = since(began);
  result.first_request = first_request;
  result.safety_stops = safety_stops;
  if (!result.is_error) {
    result.to_request = to_request;
    result.to_stream = to_stream;
    result.to_first_token = to_first_token;
  }
  result.denials = denials;
}

}  // namespace ralph::session
