#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/mask.h"
#include "core/base/result.h"
#include "harness/loop/control.h"
#include "harness/loop/setup.h"
#include "harness/store/loop_observer.h"
#include "harness/store/loop_report.h"

namespace ralph::loop {

/// Works on the goal, iteration by iteration, until it is done or a limit is reached. Holds the workspace's lock all
/// the while; state and progress are on the disk after every step.
store::LoopReport work(Setup setup, store::LoopObserver& observer, Control& control,
                       const Masker& masker);

/// The prompt the next iteration would get; starts and writes nothing. `refused`: guidance that is not used, and why.
struct NextPrompt {
  std::string text;
  std::int64_t iteration = 0;
};
Result<NextPrompt> next_prompt(const Setup& setup, std::vector<std::string>& cuts,
                               std::string& refused);

}  // namespace ralph::loop
