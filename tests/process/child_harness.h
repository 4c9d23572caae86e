#pragma once
#include "process/child.h"
#include "process/harness.h"
#include "process/supervise.h"

namespace ralph::process {

/// What this test program does when it plays a harness: supervises one fake agent until it is
/// killed.
inline int run_as_harness(const char* script) {
  auto child = start({.argv = {fake_agent(), script}});
  if (!child) return 1;
  Watch watch;
  supervise(*std::move(child), {}, watch, {});
  return 0;
}

}  // namespace ralph::process
