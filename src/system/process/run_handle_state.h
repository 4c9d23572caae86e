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

/// What a Watch was told and supervise() has not yet done.
struct WatchRequests {
  std::string input;
  bool close_stdin = false;
  std::vector<int> signals;
};

/// The shared side of a Watch: its methods lock, supervise() polls `wake`.
struct Watch::State {
  std::mutex mutex;
  UniqueFd wake;  // eventfd
  std::optional<SteadyTime> wall;
  std::optional<SteadyTime> after_end;
  std::optional<Millis> silence;
  SteadyTime last_sign_of_life;
  WatchRequests requests;
  bool ended = false;

  void wake_up() const;
  void sleep_again() const;
  void touch();
  void end();
  std::optional<Deadline> nearest();
  WatchRequests take_requests();
};

struct WatchAccess {
  using State = Watch::State;
  static State& state(Watch& watch) { return *watch.state_; }
};

}  // namespace ralph::process
