#pragma once
#include <optional>
#include <string>

#include "harness/loop/clock.h"
#include "harness/loop/policy.h"
#include "harness/loop/state_keeper.h"
#include "harness/run/request.h"

namespace ralph::loop {

/// The limits of a loop against what it has used.
class LoopBudget {
 public:
  LoopBudget(const store::LoopLimits& budget, const StateKeeper& keeper, const Clock& clock)
      : budget_(budget), keeper_(keeper), clock_(clock) {}

  /// The limit that forbids another run; nullopt: none does.
  std::optional<store::StopReason> limit_reached() const;
  /// What `why` of the report says about it.
  std::string detail(store::StopReason limit) const;
  /// The request with the cost and the time that are left as its own limits.
  run::Request limited(run::Request request) const;

  bool time_is_over() const;
  /// Whether a pause ends before the time limit.
  bool has_time_for(Millis pause) const;
  /// The cost limit that a run which was stopped for its cost reached.
  store::StopReason cost_limit() const;

 private:
  const store::LoopLimits& budget_;
  const StateKeeper& keeper_;
  const Clock& clock_;
};

}  // namespace ralph::loop
