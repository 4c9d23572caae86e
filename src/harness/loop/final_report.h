#pragma once
#include "harness/loop/loop_parts.h"
#include "harness/loop/loop_stop.h"
#include "harness/store/loop_report.h"

namespace ralph::loop {

/// Ends a loop: writes its last state, brings back what it replaced if it did nothing, says how it went.
store::LoopReport finish_loop(LoopParts& parts, LoopStop stop);

}  // namespace ralph::loop
