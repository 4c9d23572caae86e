#pragma once
#include "harness/loop/loop_parts.h"
#include "harness/loop/loop_stop.h"

namespace ralph::loop {

/// A wrong key, a wrong command, a Ctrl-C at once, a limit that was reached before. A loop that has done any work can be
/// resumed.
bool did_nothing(const LoopParts& parts, store::StopReason reason);

/// The loop before is again the one that --resume, status and undo know. What this one cost still counts for its day.
Result<> bring_back_replaced(LoopParts& parts);

}  // namespace ralph::loop
