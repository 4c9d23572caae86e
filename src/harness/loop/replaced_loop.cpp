// A start that came to nothing does not cost the user the loop before it.
#include <fmt/core.h>

#include "harness/loop/loop_impl.h"

namespace ralph::loop {

/// A wrong key, a wrong command, a Ctrl-C at once, a limit that was reached before. A loop that has done any work can be
/// resumed.
bool Loop::did_nothing(const LoopStop& ending) const {
  if (ending.end == StopReason::tampered) return false;
  const bool worked = totals_.iterations > 0 || totals_.changed || totals_.tool_calls > 0;
  if (worked || head() != state_.commit_at_start) return false;
  return !git_ || present_branch() == state_.branch_at_start;
}

/// What --stash put aside for a loop that then did not work.
void Loop::bring_back_stash() {
  if (!stashed_ || !git_) return;
  const auto back = git_->unstash(stash_message(setup_.loop_id));
  if (back && *back) {
    stashed_ = false;
    note(stream::Level::info, "this loop did nothing: your stashed changes are back");
    return;
  }
  note(stream::Level::warning,
       fmt::format("your changes are stashed still: 'git stash apply --index refs/ralph/{}' brings "
                   "them back{}",
                   stash_name(setup_.loop_id), back ? "" : "; " + describe(back.error())));
}

/// The loop before is again the one that --resume, status and undo know. What this one cost still counts for its day.
Result<> Loop::bring_back_before() {
  auto before = std::move(*before_);
  before_.reset();
  TRY(files_.put_aside(state_));
  TRY(files_.put_records_aside(state_.loop_id));
  files_.remove_aside(before.state.loop_id);
  before.state.earlier_days = days_together(before.state.earlier_days, totals_.days);
  before.state.current.reset();
  TRY(store_.adopt(before.state, before.records));
  TRY(store_.rewrite_copy(before.records));
  TRY(store_.save(before.state));
  note(stream::Level::info,
       fmt::format("this loop did nothing: 'ralph loop --resume', 'status' and 'undo' are about "
                   "the one before it, {}",
                   before.state.loop_id));
  return {};
}

}  // namespace ralph::loop
