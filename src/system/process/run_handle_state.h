#pragma once
#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"
#include "system/process/supervise.h"

namespace ralph::process {

/// A limit that is armed, and when it strikes.
struct Deadline {
  Limit limit;
  SteadyTime at;
};

/// Requests of a RunHandle that supervise() has not handled yet.
struct RunHandleRequests {
  std::string input;
  bool close_stdin = false;
  std::vector<int> signals;
};

/// The shared side of a RunHandle: its methods lock, supervise() polls `wake`.
struct RunHandle::State {
  std::mutex mutex;
  UniqueFd wake;  // eventfd
  std::optional<SteadyTime> wall;
  std::optional<SteadyTime> after_end;
  std::optional<Millis> silence;
  SteadyTime last_activity;
  RunHandleRequests requests;
  bool ended = false;

  void wake_up() const;
  void reset_wakeup() const;
  void touch();
  void end();
  std::optional<Deadline> nearest();
  RunHandleRequests take_requests();
};

struct RunHandleAccess {
  using State = RunHandle::State;
  static State& state(RunHandle& handle) { return *handle.state_; }
};

}  // namespace ralph::process
