#include "harness/loop/replaced_loop.h"

#include <utility>

#include <fmt/core.h>

namespace ralph::loop {

bool has_work(const std::vector<store::LoopRecord>& records) {
  const auto totals = store::add_up(records);
  return totals.iterations > 0 || totals.changed || totals.tool_calls > 0 || totals.cost_usd > 0;
}

bool is_empty_loop(const LoopParts& parts, store::StopReason reason) {
  if (reason == store::StopReason::tampered) return false;
  const auto& totals = parts.keeper.totals();
  const auto& state = parts.keeper.state;
  const bool worked = totals.iterations > 0 || totals.changed || totals.tool_calls > 0;
  if (worked || parts.repository.head() != state.commit_at_start) return false;
  return parts.repository.git() == nullptr || parts.repository.branch() == state.branch_at_start;
}

Result<> bring_back_replaced(LoopParts& parts) {
  auto before = *std::exchange(parts.replaced, std::nullopt);
  auto& keeper = parts.keeper;
  const auto& files = keeper.files();
  TRY(files.put_aside(keeper.state));
  TRY(files.put_records_aside(keeper.state.loop_id));
  files.remove_aside(before.state.loop_id);
  before.state.earlier_days = store::merge_days(before.state.earlier_days, keeper.totals().days);
  before.state.current.reset();
  TRY(keeper.store().adopt(before.state, before.records));
  TRY(keeper.store().rewrite_copy(before.records));
  TRY(keeper.store().save(before.state));
  parts.reporter.info(
      fmt::format("this loop changed nothing: 'ralph loop --resume', 'status' and 'undo' use "
                  "the previous one, {}",
                  before.state.loop_id));
  return {};
}

}  // namespace ralph::loop
