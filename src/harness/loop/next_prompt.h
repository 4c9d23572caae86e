#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "harness/loop/setup.h"

namespace ralph::loop {

/// The prompt the next iteration would get; starts and writes nothing. `refused`: guidance that is not used, and why.
struct NextPrompt {
  std::string text;
  std::int64_t iteration = 0;
  std::string no_iteration;  // why none would start; empty: one would
  std::string refusal;       // why the loop would not start at all
};
Result<NextPrompt> next_prompt(const Setup& setup, std::vector<std::string>& cuts,
                               std::string& refused);

}  // namespace ralph::loop
