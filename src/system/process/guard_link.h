#pragma once
#include "core/base/time.h"
#include "system/process/guard/protocol.h"

namespace ralph::process {

/// What a look at the control socket brought.
enum class Heard { report, nothing, guard_gone };

/// What became of a request. `later`: the guard has too many unread ones.
enum class Sent { done, later, gone };

/// Never blocks.
Sent send_request(int control, guard::RequestKind kind, int value);

/// Never blocks.
Heard receive_report(int control, guard::Report& report);

/// Blocks until there is a report, the guard is gone, or the deadline (then `nothing`).
Heard wait_for_report(int control, guard::Report& report, SteadyTime deadline);

}  // namespace ralph::process
