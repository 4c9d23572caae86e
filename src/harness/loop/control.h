#pragma once
#include <atomic>
#include <mutex>
#include <optional>

#include "harness/run/control.h"

namespace ralph::loop {

/// Stops a loop, from any thread.
class Control {
 public:
  /// The first time: after this iteration. The second: now. False: it was the first.
  bool stop(stream::StopCause cause);
  void stop_now(stream::StopCause cause);

  /// What asked for the end of the loop; the first cause counts.
  std::optional<stream::StopCause> cause() const;
  /// For a rate limit, an outage or the next try: there is no iteration to end.
  bool waiting() const { return waiting_.load(); }
  void set_waiting(bool waiting) { waiting_ = waiting; }
  run::Control& runs() { return runs_; }

 private:
  /// False: there was one before.
  bool set_cause(stream::StopCause cause);

  mutable std::mutex mutex_;
  std::optional<stream::StopCause> cause_;
  std::atomic<bool> waiting_ = false;
  run::Control runs_;
};

}  // namespace ralph::loop
