#pragma once
#include "harness/loop/loop_parts.h"
#include "harness/loop/loop_stop.h"
#include "harness/store/loop_report.h"

namespace ralph::loop {

/// Ends a loop: writes its last state, restores the previous loop if this one is empty, and makes the report.
store::LoopReport finish_loop(LoopParts& parts, LoopStop stop);

}  // namespace ralph::loop
