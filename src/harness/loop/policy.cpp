#include "harness/loop/policy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>

#include <fmt/core.h>

#include "core/base/backoff.h"

namespace ralph::loop {
namespace {

using stream::ErrorClass;
using stream::Outcome;

constexpr Millis kAfterReset{60'000};
constexpr Millis kFirstPause{30'000};
constexpr Millis kLongestPause{30 * 60'000};
constexpr Millis kLongestFailurePause{60'000};

double spent_today(const store::LoopTotals& totals, const std::map<std::string, double>& earlier,
                   UtcTime now) {
  const auto day = store::day_of(now);
  const auto of = [&](const std::map<std::string, double>& days) {
    const auto found = days.find(day);
    return found == days.end() ? 0 : found->second;
  };
  return of(totals.days) + of(earlier);
}

bool reached(std::int64_t limit, std::int64_t count) { return limit > 0 && count >= limit; }

}  // namespace

std::optional<store::StopReason> limit_reached(const store::LoopLimits& budget,
                                               const store::LoopTotals& totals,
                                               const std::map<std::string, double>& earlier_days,
                                               Millis elapsed, UtcTime now) {
  if (reached(budget.refusals, totals.refused_in_a_row)) return store::StopReason::refused;
  if (reached(budget.failures, totals.failures_in_a_row)) return store::StopReason::failures;
  if (reached(budget.idle, totals.idle_in_a_row)) return store::StopReason::no_progress;
  if (reached(budget.iterations, totals.iterations)) return store::StopReason::iterations;
  if (budget.time > Millis::zero() && elapsed >= budget.time) return store::StopReason::time;
  if (budget.cost_usd && totals.cost_usd >= *budget.cost_usd) return store::StopReason::cost;
  if (budget.cost_per_day_usd &&
      spent_today(totals, earlier_days, now) >= *budget.cost_per_day_usd) {
    return store::StopReason::cost_per_day;
  }
  return std::nullopt;
}

std::optional<double> cost_left(const store::LoopLimits& budget, const store::LoopTotals& totals,
                                const std::map<std::string, double>& earlier_days, UtcTime now) {
  std::optional<double> left;
  const auto take = [&](double more) { left = left ? std::min(*left, more) : more; };
  if (budget.cost_usd) take(*budget.cost_usd - totals.cost_usd);
  if (budget.cost_per_day_usd) {
    take(*budget.cost_per_day_usd - spent_today(totals, earlier_days, now));
  }
  return left;
}

NextStep next_step_after(const stream::Verdict& verdict, const stream::Summary& summary) {
  switch (verdict.outcome) {
    case Outcome::rate_limited: return NextStep::wait_for_rate_limit;
    case Outcome::bad_usage:
    case Outcome::bad_config:
    case Outcome::not_installed:
    case Outcome::auth_failed:
    case Outcome::storage_failed:
    case Outcome::locked: return NextStep::stop_agent;
    case Outcome::agent_error: {
      const auto what = summary.error ? summary.error->error_class : ErrorClass::unknown;
      if (what == ErrorClass::network || what == ErrorClass::overloaded)
        return NextStep::wait_for_outage;
      if (what == ErrorClass::trust) return NextStep::stop_agent;
      // A model or an API that does not exist.
      if (summary.error && summary.error->http_status == 404) return NextStep::stop_agent;
      return NextStep::next_iteration;
    }
    default: return NextStep::next_iteration;
  }
}

Millis rate_limit_pause(std::optional<std::int64_t> resets_at, UtcTime now, int n) {
  const auto until = plausible_reset(resets_at);
  if (!until) return doubled_pause(kAfterReset, n, kLongestPause);
  return std::max(Millis::zero(), std::chrono::duration_cast<Millis>(*until - now)) + kAfterReset;
}

Millis failure_pause(std::int64_t n, Millis first) {
  return doubled_pause(first, n, kLongestFailurePause);
}

Millis outage_pause(int n, double jitter) {
  const auto whole = doubled_pause(kFirstPause, n, kLongestPause);
  return whole / 2 +
         Millis(static_cast<std::int64_t>(static_cast<double>(whole.count()) / 2 * jitter));
}

}  // namespace ralph::loop
