#pragma once
#include <string_view>

namespace ralph::api {

/// Why a reply ended.
enum class StopReason {
  end_turn,
  stop_sequence,
  pause_turn,
  max_tokens,
  context_window_exceeded,
  refusal,
  tool_use,
  other,  // unknown or missing; Reply::stop_reason has the API's word
};
StopReason stop_reason_of(std::string_view text);
/// As the API writes it; of `other` "".
std::string_view to_string(StopReason reason);

}  // namespace ralph::api
