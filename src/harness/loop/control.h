#pragma once
#include <atomic>

#include "harness/run/control.h"

namespace ralph::loop {

/// Stops a loop, from any thread.
class Control {
 public:
  /// The first time: after this iteration. The second: now. False: it was the first.
  bool stop(int signal_number);
  void stop_now(int signal_number);

  bool wants_end() const { return asked_.load() != 0; }
  int signal() const { return asked_.load(); }
  /// For a rate limit, an outage or the next try: there is no iteration to end.
  bool waiting() const { return waiting_.load(); }
  void set_waiting(bool waiting) { waiting_ = waiting; }
  run::Control& runs() { return runs_; }

 private:
  std::atomic<int> asked_ = 0;
  std::atomic<bool> waiting_ = false;
  run::Control runs_;
};

}  // namespace ralph::loop
