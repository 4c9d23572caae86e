#pragma once
#include <cmath>

namespace ralph {

/// To a billionth of a dollar: further digits of a sum of doubles are rounding errors.
inline double rounded_usd(double usd) {
  constexpr double kSteps = 1e9;
  return std::round(usd * kSteps) / kSteps;
}

}  // namespace ralph
