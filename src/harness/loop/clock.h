#pragma once
#include "core/base/time.h"
#include "harness/run/control.h"

namespace ralph::loop {

/// Time as a loop sees it.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual UtcTime now() const = 0;
  virtual SteadyTime steady() const = 0;
  /// False: `control` was stopped meanwhile.
  virtual bool wait(Millis pause, run::Control& control) = 0;
};

class SystemClock final : public Clock {
 public:
  UtcTime now() const override { return now_utc(); }
  SteadyTime steady() const override { return std::chrono::steady_clock::now(); }
  bool wait(Millis pause, run::Control& control) override { return control.wait(pause); }
};

}  // namespace ralph::loop
