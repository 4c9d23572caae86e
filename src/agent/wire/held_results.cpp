#include "agent/wire/held_results.h"

namespace ralph::wire {
namespace {

void fail_for_subagents(session::TurnResult& result) {
  result.subtype = session::ResultSubtype::execution;
  result.is_error = true;
  result.errors = {"the subagents of the turn were stopped"};
  result.terminal_reason = session::TerminalReason::aborted_tools;
}

}  // namespace

void HeldResults::add(session::TurnResult result) {
  const std::lock_guard lock(mutex_);
  result.index = added_++;
  held_.push_back(std::move(result));
}

void HeldResults::release(Subagents subagents) {
  const std::lock_guard lock(mutex_);
  for (auto& result : std::exchange(held_, {})) {
    if (subagents == Subagents::stopped && !result.is_error) fail_for_subagents(result);
    report(result);
  }
}

void HeldResults::report(session::TurnResult& result) {
  result.total_cost_usd = links_.ledger.cost_usd();
  result.totals = links_.ledger.totals();
  result.recent_totals = links_.ledger.since_last_result();
  result.subagents = links_.subagent_stats();
  last_is_error_ = result.is_error;
  // Before the client can read the result: after that it may disconnect.
  if (links_.output != settings::Format::json && links_.inbox.is_empty() &&
      links_.tasks.list().empty()) {
    links_.control.set_answered(result.is_error ? 1 : 0);
  }
  links_.reporting = true;
  links_.events.emit(session::TurnEnded{result});
  links_.reporting = false;
  links_.ledger.next_result();
}

}  // namespace ralph::wire
