#pragma once
#include "core/base/mask.h"
#include "harness/loop/control.h"
#include "harness/loop/setup.h"
#include "harness/store/loop_observer.h"
#include "harness/store/loop_report.h"

namespace ralph::loop {

/// Works on the goal, iteration by iteration, until it is done or a limit is reached. Holds the workspace's lock all
/// the while; state and progress are on the disk after every step.
store::LoopReport run_loop(Setup setup, store::LoopObserver& observer, Control& control,
                           const Masker& masker);

}  // namespace ralph::loop
