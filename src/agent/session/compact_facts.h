#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/time.h"

namespace ralph::session {

/// What started a compaction.
enum class CompactTrigger { automatic, manual };
std::string_view to_string(CompactTrigger trigger);

/// Why a conversation could not be replaced by a summary.
enum class CompactFailure {
  cancelled,
  thrashing,
  disabled,
  request_failed,
  no_summary,
  still_too_long,
  blocked_by_hook
};
std::string_view to_string(CompactFailure failure);

/// A compaction, as clients and the transcript record it.
struct CompactFacts {
  std::string uuid;
  CompactTrigger trigger = CompactTrigger::automatic;
  std::int64_t pre_tokens = 0;
  std::int64_t post_tokens = 0;
  std::int64_t dropped_tokens = 0;  // by all compactions of the session
  Millis duration{0};
  std::string logical_parent;  // the uuid of the last line before it
};

}  // namespace ralph::session
