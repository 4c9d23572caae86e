#include "run/overseer.h"

#include <fmt/core.h>

namespace ralph::run {
namespace {

constexpr std::size_t kMostOpenCalls = 10'000;

}  // namespace

Overseer::Overseer(Rules rules, const stream::Summary& summary, process::Watch& watch,
                   std::function<void()> stop)
    : rules_(rules), summary_(summary), watch_(watch), stop_(std::move(stop)) {}

void Overseer::begin(Millis wall) {
  if (wall > Millis::zero()) watch_.arm(process::Limit::wall, wall);
  settle();
}

Overseer::Phase Overseer::phase() const {
  if (!open_calls_.empty() || summary_.background_tasks > 0) return Phase::tool;
  const bool ended = summary_.result_count > 0 && !summary_.turn_open();
  return ended ? Phase::ended : Phase::model;
}

/// Exactly one of the two changing limits is armed, or none while a tool runs.
void Overseer::settle() {
  const auto now = phase();
  if (armed_ == now) return;
  armed_ = now;
  watch_.disarm(process::Limit::silence);
  watch_.disarm(process::Limit::after_end);
  if (now == Phase::model && rules_.limits.silence > Millis::zero()) {
    watch_.arm(process::Limit::silence, rules_.limits.silence);
  }
  if (now == Phase::ended) {
    watch_.close_stdin();
    watch_.arm(process::Limit::after_end, rules_.limits.after_end);
  }
}

void Overseer::on(const stream::Event&, const stream::ToolCall& call) {
  if (open_calls_.size() < kMostOpenCalls) open_calls_.emplace(call.call_id);
  settle();
}

void Overseer::on(const stream::Event&, const stream::ToolResult& result) {
  if (const auto open = open_calls_.find(result.call_id); open != open_calls_.end()) {
    open_calls_.erase(open);
  }
  settle();
}

/// What a request has used so far. An answer that is complete and calls no tool is the agent's last word:
/// stopping it then would save nothing.
void Overseer::on(const stream::Event&, const stream::Usage& usage) {
  if (!rules_.max_cost || !over_budget_.empty() || usage.scope != stream::UsageScope::request)
    return;
  const auto cost = summary_.cost_usd();
  if (!cost || *cost < *rules_.max_cost || (!usage.partial && open_calls_.empty())) return;
  over_budget_ = fmt::format("${:.4f} of ${:.4f}", *cost, *rules_.max_cost);
  stop_();
}

void Overseer::on(const stream::Event&, const stream::Retry& retry) {
  if (retry.error_class == stream::ErrorClass::auth) stop_();
}

void Overseer::on(const stream::Event&, const stream::ErrorEvent& error) {
  if (error.error_class == stream::ErrorClass::permission && !rules_.denials_allowed) stop_();
}

void Overseer::on(const stream::Event&, const stream::TurnEnded&) {
  open_calls_.clear();
  armed_.reset();
  settle();
}

void Overseer::on(const stream::Event&, const stream::Notice& notice) {
  if (notice.topic == "background_tasks") settle();
}

}  // namespace ralph::run
