#include "harness/loop/control.h"

namespace ralph::loop {

bool Control::stop(stream::StopCause cause) {
  if (set_cause(cause)) return false;
  runs_.end(cause);
  return true;
}

void Control::stop_now(stream::StopCause cause) {
  set_cause(cause);
  runs_.end(cause);
}

std::optional<stream::StopCause> Control::cause() const {
  const std::lock_guard lock(mutex_);
  return cause_;
}

bool Control::set_cause(stream::StopCause cause) {
  const std::lock_guard lock(mutex_);
  if (cause_) return false;
  cause_ = cause;
  return true;
}

}  // namespace ralph::loop
