#pragma once
#include <sys/types.h>

#include "system/process/guard/confiner.h"
#include "system/process/guard/protocol.h"

namespace ralph::process::guard {

/// The agent to start. The vfork child shares our memory and leaves the step that failed here.
struct Launch {
  const char* cwd = "";
  const char* program = "";
  char** argv = nullptr;
  int tty_fd = -1;
  const Confiner* confiner = nullptr;  // nullptr: it is not confined
  volatile Stage failed_stage = Stage::exec;
  volatile ConfinePart failed_part{};
  const char* volatile failed_path = "";
  volatile int error = 0;  // 0: the program runs
};

/// Starts the agent in a session of its own, with default signals and a death signal for the case
/// that the guard is killed. Returns its id, or -1 with errno if fork fails.
pid_t launch(Launch& agent);

}  // namespace ralph::process::guard
