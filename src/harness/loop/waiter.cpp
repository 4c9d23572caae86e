#include "harness/loop/waiter.h"

#include <algorithm>

#include <fmt/core.h>

namespace ralph::loop {
namespace {

constexpr Millis kTick{1000};

std::string outage_text(const RunOutcome& outcome) {
  const auto& error = outcome.summary.error;
  if (error && error->error_class == stream::ErrorClass::overloaded) return "model API overloaded";
  const auto& reason = outcome.verdict.detail;
  return reason.empty() ? "model API unreachable"
                        : fmt::format("model API unreachable ({})", reason);
}

}  // namespace

MaybeStop Waiter::stop_request() const {
  if (const auto cause = control_.cause()) return stopped_by(*cause);
  if (keeper_.files().asked_to_stop()) return stopped_by(stream::StopCause::stop_command());
  return std::nullopt;
}

MaybeStop Waiter::wait_for_rate_limit(const stream::Verdict& verdict) {
  return wait(store::WaitReason::rate_limit, "rate limit reached",
              rate_limit_pause(verdict.resets_at, clock_.now(), ++pauses_));
}

MaybeStop Waiter::wait_for_outage(const RunOutcome& outcome) {
  std::uniform_real_distribution<double> any(0, 1);
  return wait(store::WaitReason::outage, outage_text(outcome),
              outage_pause(++pauses_, any(random_)));
}

MaybeStop Waiter::wait_after_failure(Millis first) {
  pauses_ = 0;
  const auto pause = failure_pause(keeper_.totals().failures_in_a_row, first);
  if (budget_.limit_reached() || pause == Millis::zero()) return std::nullopt;
  return wait(store::WaitReason::failure, "iteration failed", pause);
}

MaybeStop Waiter::wait(store::WaitReason reason, std::string text, Millis pause) {
  if (!budget_.has_time_for(pause)) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(pause);
    return LoopStop{.reason = store::StopReason::time,
                    .why = fmt::format("{}; the next try would be in {}, after the limit", text,
                                       format_duration(seconds)),
                    .would_wait = pause};
  }
  auto& state = keeper_.state;
  state.status = store::LoopStatus::waiting;
  state.waiting_for = text;
  state.waiting_until = clock_.now() + pause;
  if (auto saved = keeper_.save(); !saved) keeper_.set_storage_error(saved.error());
  reporter_.step(store::WaitStarted{reason, text, *state.waiting_until});
  const auto from = clock_.steady();
  const auto until = from + pause;
  control_.set_waiting(true);
  for (;;) {
    const auto left = std::chrono::duration_cast<Millis>(until - clock_.steady());
    if (left <= Millis::zero() || stop_request() || reporter_.observer().waiting(text, left)) break;
    if (!clock_.wait(std::min(left, kTick), control_.runs())) break;
  }
  control_.set_waiting(false);
  state.waited += std::chrono::duration_cast<Millis>(clock_.steady() - from);
  state.status = store::LoopStatus::running;
  state.waiting_until.reset();
  state.waiting_for.clear();
  return std::nullopt;
}

}  // namespace ralph::loop
