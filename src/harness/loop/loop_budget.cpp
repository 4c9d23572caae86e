#include "harness/loop/loop_budget.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace ralph::loop {
namespace {

constexpr double kCostSteps = 1e6;  // of a dollar

}  // namespace

std::optional<store::StopReason> LoopBudget::limit_reached() const {
  return loop::limit_reached(budget_, keeper_.totals(), keeper_.state.earlier_days,
                             keeper_.elapsed(), clock_.now());
}

std::string LoopBudget::detail(store::StopReason limit) const {
  if (limit != store::StopReason::failures || keeper_.records().empty()) return {};
  const std::string_view last = keeper_.records().back().failure;
  return fmt::format("{}, the last one: {}", keeper_.totals().failures_in_a_row,
                     last.substr(0, last.find('\n')));
}

run::Request LoopBudget::limited(run::Request request) const {
  const auto& totals = keeper_.totals();
  if (const auto left = cost_left(budget_, totals, keeper_.state.earlier_days, clock_.now())) {
    // Some agents print the number as they got it.
    request.ask.max_cost = std::max(1.0, std::round(*left * kCostSteps)) / kCostSteps;
    const bool of_loop = budget_.cost_usd && *budget_.cost_usd - totals.cost_usd <= *left;
    request.limits.cost_before_usd =
        (of_loop ? *budget_.cost_usd : budget_.cost_per_day_usd.value_or(0)) - *left;
  }
  if (budget_.time > Millis::zero()) {
    const auto left = std::max(Millis{1}, budget_.time - keeper_.elapsed());
    auto& limits = request.limits;
    if (limits.wall == Millis::zero() || left < limits.wall) {
      limits.wall = left;
      limits.wall_of_loop = budget_.time;
    }
  }
  return request;
}

bool LoopBudget::time_is_over() const { return !has_time_for(Millis::zero()); }

bool LoopBudget::has_time_for(Millis pause) const {
  return budget_.time <= Millis::zero() || keeper_.elapsed() + pause < budget_.time;
}

store::StopReason LoopBudget::cost_limit() const {
  return limit_reached().value_or(budget_.cost_usd ? store::StopReason::cost
                                                   : store::StopReason::cost_per_day);
}

}  // namespace ralph::loop
