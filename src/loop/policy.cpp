#include "loop/policy.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ralph::loop {
namespace {

using stream::ErrorClass;
using stream::Outcome;

constexpr auto kEnds = std::to_array<EndRow>({
    {End::done, "done", Outcome::ok, "the goal is reached", ""},
    {End::unchanged, "unchanged", Outcome::limit_reached,
     "the agent says DONE, but no file was changed since the start (ignored ones do not count)",
     "if nothing had to be done, all is well; else make the goal, or its verification, say more"},
    {End::refused, "refused", Outcome::limit_reached,
     "the agent said DONE again and again, and verification refused it",
     "look at what verification says; 'ralph tell' gives the agent a hint, 'ralph loop --resume' "
     "goes on"},
    {End::iterations, "iterations", Outcome::limit_reached, "the limit of iterations was reached",
     "'ralph loop --resume --max-iterations N' goes on with a higher one"},
    {End::time, "time", Outcome::limit_reached, "the loop took as long as it may",
     "'ralph loop --resume --max-time TIME' goes on with a higher limit"},
    {End::cost, "cost", Outcome::limit_reached, "the loop cost as much as it may",
     "'ralph loop --resume --max-cost USD' goes on with a higher limit"},
    {End::cost_per_day, "cost_per_day", Outcome::limit_reached,
     "the loops of this workspace cost as much today as they may",
     "'ralph loop --resume' goes on tomorrow (UTC), '--max-cost-per-day USD' with a higher limit"},
    {End::failures, "failures", Outcome::limit_reached, "too many iterations failed in a row",
     "see why in .ralph/state/progress.ndjson; 'ralph loop --resume' tries again"},
    {End::no_progress, "no_progress", Outcome::limit_reached,
     "nothing changes any more: no file, and the same words each time",
     "'ralph tell' gives the agent a hint, 'ralph loop --resume' goes on"},
    {End::stopped, "stopped", Outcome::cancelled, "the loop was stopped",
     "'ralph loop --resume' goes on where it was"},
    {End::tampered, "tampered", Outcome::permission_denied,
     "verification or the repository was tampered with during the loop",
     "look at it; 'ralph loop --resume --accept-changes' takes it as it is now"},
    {End::not_committed, "not_committed", Outcome::limit_reached,
     "the agent says DONE and verification agrees, but the work is not committed on the branch",
     "put the branch in order, then 'ralph loop --resume' goes on"},
    {End::agent, "agent", Outcome::agent_error, "the agent cannot work here", ""},
});

constexpr Millis kAfterReset{60'000};
constexpr Millis kFirstPause{30'000};
constexpr Millis kLongestPause{30 * 60'000};
constexpr Millis kLongestFailurePause{60'000};
constexpr std::int64_t kFarFuture = 4'102'444'800;  // 2100: what is later is no time
constexpr int kMostDoublings = 10;

double spent_today(const Totals& totals, const std::map<std::string, double>& earlier,
                   UtcTime now) {
  const auto day = day_of(now);
  const auto of = [&](const std::map<std::string, double>& days) {
    const auto found = days.find(day);
    return found == days.end() ? 0 : found->second;
  };
  return of(totals.days) + of(earlier);
}

bool reached(std::int64_t limit, std::int64_t count) { return limit > 0 && count >= limit; }

Millis doubled(Millis first, int n) {
  return std::min(first * (1 << std::clamp(n - 1, 0, kMostDoublings)), kLongestPause);
}

}  // namespace

const EndRow& row(End end) { return kEnds[static_cast<std::size_t>(end)]; }

std::optional<End> end_named(std::string_view name) {
  const auto found = std::ranges::find(kEnds, name, &EndRow::name);
  return found == kEnds.end() ? std::nullopt : std::optional(found->end);
}

std::optional<End> limit_reached(const Budget& budget, const Totals& totals,
                                 const std::map<std::string, double>& earlier_days, Millis elapsed,
                                 UtcTime now) {
  if (reached(budget.refusals, totals.refused_in_a_row)) return End::refused;
  if (reached(budget.failures, totals.failures_in_a_row)) return End::failures;
  if (reached(budget.idle, totals.idle_in_a_row)) return End::no_progress;
  if (reached(budget.iterations, totals.iterations)) return End::iterations;
  if (budget.time > Millis::zero() && elapsed >= budget.time) return End::time;
  if (budget.cost_usd && totals.cost_usd >= *budget.cost_usd) return End::cost;
  if (budget.cost_per_day_usd &&
      spent_today(totals, earlier_days, now) >= *budget.cost_per_day_usd) {
    return End::cost_per_day;
  }
  return std::nullopt;
}

std::optional<double> cost_left(const Budget& budget, const Totals& totals,
                                const std::map<std::string, double>& earlier_days, UtcTime now) {
  std::optional<double> left;
  const auto take = [&](double more) { left = left ? std::min(*left, more) : more; };
  if (budget.cost_usd) take(*budget.cost_usd - totals.cost_usd);
  if (budget.cost_per_day_usd) {
    take(*budget.cost_per_day_usd - spent_today(totals, earlier_days, now));
  }
  return left;
}

After after(const stream::Verdict& verdict, const stream::Summary& summary) {
  switch (verdict.outcome) {
    case Outcome::rate_limited: return After::wait;
    case Outcome::bad_usage:
    case Outcome::bad_config:
    case Outcome::not_installed:
    case Outcome::auth_failed:
    case Outcome::storage_failed:
    case Outcome::locked: return After::over;
    case Outcome::agent_error: {
      const auto what = summary.error ? summary.error->error_class : ErrorClass::unknown;
      if (what == ErrorClass::network || what == ErrorClass::overloaded) return After::backoff;
      if (what == ErrorClass::trust) return After::over;
      return After::failure;
    }
    default: return After::failure;
  }
}

Millis rate_limit_pause(std::optional<std::int64_t> resets_at, UtcTime now, int n) {
  if (!resets_at || *resets_at <= 0 || *resets_at >= kFarFuture) {
    return doubled(kAfterReset, n);
  }
  const auto until = UtcTime(std::chrono::seconds(*resets_at));
  return std::max(Millis::zero(), std::chrono::duration_cast<Millis>(until - now)) + kAfterReset;
}

Millis failure_pause(std::int64_t n, Millis first) {
  const auto doublings = static_cast<int>(std::clamp<std::int64_t>(n - 1, 0, kMostDoublings));
  return std::min(first * (1 << doublings), kLongestFailurePause);
}

Millis outage_pause(int n, double jitter) {
  const auto whole = doubled(kFirstPause, n);
  return whole / 2 +
         Millis(static_cast<std::int64_t>(static_cast<double>(whole.count()) / 2 * jitter));
}

}  // namespace ralph::loop
