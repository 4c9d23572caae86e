#pragma once
#include <cmath>

namespace ralph {

/// To a billionth of a dollar: a sum of doubles has further digits that mean nothing.
inline double rounded_usd(double usd) {
  constexpr double kSteps = 1e9;
  return std::round(usd * kSteps) / kSteps;
}

}  // namespace ralph
