#include <random>

#include <fmt/core.h>

#include "harness/loop/loop_impl.h"
#include "harness/loop/run_requests.h"

namespace ralph::loop {
namespace {

std::string outage_words(const RunOutcome& end) {
  const auto& error = end.summary.error;
  if (error && error->error_class == stream::ErrorClass::overloaded) return "model API overloaded";
  const auto& reason = end.verdict.detail;
  return reason.empty() ? "model API unreachable"
                        : fmt::format("model API unreachable ({})", reason);
}

}  // namespace

Loop::Over Loop::settle_failure(const Current& current, const RunOutcome& end) {
  const auto why = why_failed(end);
  const bool counts = why == Why::failure;
  auto record = make_record(counts ? Record::Step::iteration : Record::Step::attempt, current, end);
  record.progress =
      counts && end.verdict.status() == stream::Status::success
          ? failure_progress(fmt::format("no valid answer after {} corrections", kMostCorrections))
          : failure_progress(end.verdict.reason());
  record.failed = counts;
  record.tree = content();
  record.changed = record.tree.empty() || record.tree != current.tree_before;
  if (!counts) record_moved_head(current, record);
  const auto over = tampered(record);
  if (counts && !over) {
    auto done = setup_.options.rollback ? roll_back(current, record) : commit(current, record);
    if (!done) note(stream::Level::warning, describe(done.error()));
  }
  const RunInfo run{RunInfo::Kind::worker, current.iteration, current.run_id};
  if (auto kept = keep(run, std::move(record)); !kept) storage_ = kept.error();
  if (over) return over;
  return storage_ ? std::nullopt : go_on_after(why, end);
}

Loop::Why Loop::why_failed(const RunOutcome& end) const {
  const auto& time = setup_.options.budget.time;
  if (end.verdict.outcome == stream::Outcome::cancelled) return Why::stopped;
  if (end.spent_all) return Why::cost;
  const bool timed_out = end.verdict.outcome == stream::Outcome::timed_out;
  if (timed_out && time > Millis::zero() && elapsed() >= time) return Why::time;
  // A disk that can be written to: it was the agent.
  if (end.verdict.outcome == stream::Outcome::storage_failed && log_removed_) return Why::failure;
  switch (after(end.verdict, end.summary)) {
    case After::failure: return Why::failure;
    case After::over: return Why::over;
    case After::wait: return Why::rate_limit;
    case After::backoff: return Why::outage;
  }
  return Why::failure;
}

/// By the user, or because the agent itself was interrupted.
Loop::Over Loop::stopped(const stream::Verdict& verdict) const {
  return LoopStop{StopReason::stopped, control_.wants_end() ? stopped_by(control_.signal()) : verdict.detail,
                verdict.exit_code()};
}

Loop::Over Loop::go_on_after(Why why, const RunOutcome& end) {
  const auto& verdict = end.verdict;
  switch (why) {
    case Why::failure: return wait_after_failure();
    case Why::stopped: return stopped(verdict);
    case Why::time: return LoopStop{StopReason::time};
    case Why::cost:
      return LoopStop{
          limit_now().value_or(setup_.options.budget.cost_usd ? StopReason::cost : StopReason::cost_per_day)};
    case Why::over: return LoopStop{StopReason::agent, verdict.message(), verdict.exit_code()};
    case Why::rate_limit:
      return wait("rate limit reached", rate_limit_pause(verdict.resets_at, now_utc(), ++pauses_));
    case Why::outage: {
      std::uniform_real_distribution<double> any(0, 1);
      return wait(outage_words(end), outage_pause(++pauses_, any(random_)));
    }
  }
  return std::nullopt;
}

/// Keeps an agent that fails at once from being restarted in a tight loop.
Loop::Over Loop::wait_after_failure() {
  pauses_ = 0;
  const auto pause = failure_pause(totals_.failures_in_a_row, setup_.request.retries.pause);
  return limit_now() || pause == Millis::zero() ? std::nullopt : wait("iteration failed", pause);
}

}  // namespace ralph::loop
