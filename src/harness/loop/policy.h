#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.h"
#include "harness/store/loop_limits.h"
#include "harness/store/loop_state.h"
#include "harness/store/stop_reason.h"
#include "harness/stream/outcome.h"
#include "harness/stream/summary.h"

namespace ralph::loop {

/// Before an iteration begins: the limit that forbids it; nullopt: none does.
std::optional<store::StopReason> limit_reached(const store::LoopLimits& budget,
                                               const store::LoopTotals& totals,
                                               const std::map<std::string, double>& earlier_days,
                                               Millis elapsed, UtcTime now);
/// What the next run may cost and how long it may take: the nearest limit.
std::optional<double> cost_left(const store::LoopLimits& budget, const store::LoopTotals& totals,
                                const std::map<std::string, double>& earlier_days, UtcTime now);

/// What the loop does after a run of the worker that brought no answer.
enum class NextStep {
  next_iteration,  // the failure counts
  wait_for_rate_limit,
  wait_for_outage,
  stop_agent,  // it would only happen again
  stop_user,
  stop_time,
  stop_cost,
};
/// By the run alone: never one of the last three.
NextStep next_step_after(const stream::Verdict& verdict, const stream::Summary& summary);

/// How long to wait for a rate limit (a minute longer than it said), or before the n-th try after an outage, n from 1.
/// `jitter` is from [0, 1).
Millis rate_limit_pause(std::optional<std::int64_t> resets_at, UtcTime now, int n);
Millis outage_pause(int n, double jitter);
/// Before the iteration after the n-th failure in a row.
Millis failure_pause(std::int64_t n, Millis first);

}  // namespace ralph::loop
