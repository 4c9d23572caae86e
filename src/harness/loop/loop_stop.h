#pragma once
#include <optional>
#include <string>

#include "core/base/time.h"
#include "harness/loop/policy.h"

namespace ralph::loop {

/// Why a loop is over, before it is reported.
struct LoopStop {
  store::StopReason reason;
  std::string why = {};
  std::optional<int> exit_code = {};  // none: that of the reason
  Millis would_wait{0};               // StopReason::time: for what there is no time
};
/// nullopt: the loop goes on.
using MaybeStop = std::optional<LoopStop>;

}  // namespace ralph::loop
