#pragma once
#include "harness/loop/loop_parts.h"
#include "harness/loop/loop_stop.h"

namespace ralph::loop {

/// Whether a loop is worth resuming: it finished an iteration, called a tool, changed a file or has a cost.
bool has_work(const std::vector<store::LoopRecord>& records);

/// Whether a loop has done no work, which is then discarded: a wrong key, a wrong command, an immediate Ctrl-C, a limit
/// that was already reached. Any other loop can be resumed.
bool is_empty_loop(const LoopParts& parts, store::StopReason reason);

/// Makes the previous loop the one that --resume, status and undo use. The cost of this one still counts for its day.
Result<> bring_back_replaced(LoopParts& parts);

}  // namespace ralph::loop
