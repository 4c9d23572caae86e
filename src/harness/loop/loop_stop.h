#pragma once
#include <optional>
#include <string>

#include "core/base/time.h"
#include "harness/loop/policy.h"

namespace ralph::loop {

/// Why a loop ends; finish_loop() makes the report and the exit code of it.
struct LoopStop {
  store::StopReason reason;
  std::string why = {};
  std::optional<stream::Outcome> outcome = {};       // none: that of the reason
  std::optional<stream::StopCause> stopped_by = {};  // StopReason::stopped: the run or the loop
  Millis would_wait{0};  // StopReason::time: the wait that does not fit into the limit
};
/// nullopt: the loop continues.
using MaybeStop = std::optional<LoopStop>;

inline LoopStop stopped_by(const stream::StopCause& cause) {
  return {.reason = store::StopReason::stopped, .why = cause.text(), .stopped_by = cause};
}

}  // namespace ralph::loop
