#include "harness/loop/goal_tracker.h"

#include "harness/loop/goal_file.h"

namespace ralph::loop {

void GoalTracker::use_edit() {
  if (state_.goal_path.empty()) return;
  auto now = read_goal_text(state_.goal_path);
  protected_ = setup_.request.host.sandboxed() && can_be_protected(state_.goal_path);
  if (now.id == state_.goal_seen) return;
  state_.goal_seen = now.id;
  if (now.id == goal_id(state_.goal)) return;
  if (now.problem.empty() && !setup_.options.allow_secrets && masker_.finds_secret(now.text)) {
    now.problem = "it contains a secret";
  }
  if (!now.problem.empty()) {
    return reporter_.warn(goal_unusable_text(state_.goal_file, now.problem));
  }
  state_.goal = std::move(now.text);
  note = goal_used_text(state_.goal_file);
  reporter_.info(note);
}

void GoalTracker::check_after_run() {
  if (state_.goal_path.empty() || protected_) return;
  const auto now = read_goal_text(state_.goal_path);
  if (now.id == state_.goal_seen) return;
  state_.goal_seen = now.id;
  if (now.id != goal_id(state_.goal)) reporter_.warn(goal_not_used_text(state_));
}

}  // namespace ralph::loop
