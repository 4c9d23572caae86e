#include "harness/loop/run_timer.h"

#include <algorithm>

namespace ralph::loop {

void RunTimer::on_any(const stream::Event& event) { lasted_until(event.t_ms); }

/// The time since the last event was spent on what was open then.
void RunTimer::lasted_until(std::int64_t t_ms) {
  const Millis passed(std::max<std::int64_t>(0, t_ms - last_ms_));
  last_ms_ = std::max(last_ms_, t_ms);
  auto& part = open_calls_ > 0 ? split_.tools : asking_ ? split_.model : split_.other;
  part += passed;
}

void RunTimer::on(const stream::Event&, const stream::TurnStarted&) { asking_ = true; }
void RunTimer::on(const stream::Event&, const stream::SessionStarted&) { asking_ = true; }

void RunTimer::on(const stream::Event& event, const stream::ToolCall&) {
  if (event.parent.empty()) ++open_calls_;
}

void RunTimer::on(const stream::Event& event, const stream::ToolResult&) {
  if (event.parent.empty() && open_calls_ > 0) --open_calls_;
}

void RunTimer::on(const stream::Event&, const stream::TurnEnded&) {
  open_calls_ = 0;
  asking_ = false;
}

}  // namespace ralph::loop
