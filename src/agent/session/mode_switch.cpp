#include "agent/session/mode_switch.h"

namespace ralph::session {

using permission::Mode;

void ModeSwitch::set(Mode mode) {
  {
    const std::lock_guard lock(mutex_);
    const auto old = policy_.mode();
    if (mode == Mode::plan && old != Mode::plan) before_plan_ = old;
    policy_.set_mode(mode);
  }
  events_.emit(ModeChanged{to_string(mode)});
}

void ModeSwitch::leave_plan() {
  std::unique_lock lock(mutex_);
  if (policy_.mode() != Mode::plan) return;
  const auto mode = before_plan_;
  policy_.set_mode(mode);
  lock.unlock();
  events_.emit(ModeChanged{to_string(mode)});
}

}  // namespace ralph::session
