#pragma once
#include <cstdint>
#include <optional>

#include "core/base/time.h"

namespace ralph::store {

/// What a loop may use; zero or none: no limit.
struct LoopLimits {
  std::int64_t iterations = 0;
  Millis time{0};
  std::optional<double> cost_usd, cost_per_day_usd;
  std::int64_t failures = 0;  // in a row
  std::int64_t idle = 0;      // iterations in a row without a file change and with the same words
  std::int64_t refusals = 3;  // of DONE, in a row
};

}  // namespace ralph::store
