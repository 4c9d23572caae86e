#pragma once
#include <functional>

#include <sys/types.h>

/// The guards this process has started and not yet reaped, and the orphans of lost ones.
/// Process-wide, because children are: whichever thread looks must know every guard to tell it from
/// an orphan.
///
/// Which children are orphans: ours, no known guard, and not in our session. Everything below a
/// guard left our session for good (the guard and the agent call setsid), while a child that other
/// code of this process forks stays in it; so such children are never touched, as long as they do
/// not call setsid.
namespace ralph::process {

/// Runs `spawn`, which returns a new guard's id or -1, and remembers it before anyone can look for
/// orphans. The first call makes this process a child subreaper.
pid_t register_guard(const std::function<pid_t()>& spawn);

/// Ends and reaps a guard that has nothing left to do.
void retire_guard(pid_t guard);

struct Swept {
  int strays = 0;
  int left = 0;
};

/// Ends a guard that was lost or does not answer, then everything it left to us. `program` is no
/// stray.
Swept retire_lost_guard(pid_t guard, pid_t program);

/// A stopped guard is continued. One that was retired is left alone: its number may be another process's by
/// now. Any thread may call.
void wake_guard(pid_t guard);

}  // namespace ralph::process
