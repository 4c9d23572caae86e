#include "harness/run/control.h"

#include <csignal>

namespace ralph::run {

bool Control::ask(stream::StopCause cause) {
  const std::lock_guard lock(mutex_);
  if (cause_ || handle_ == nullptr) return false;
  cause_ = cause;
  handle_->shorten_wall(kPatience);
  handle_->send_signal(SIGINT);
  return true;
}

void Control::end(stream::StopCause cause) {
  {
    const std::lock_guard lock(mutex_);
    if (!cause_) cause_ = cause;
  }
  source_.request_stop();
  changed_.notify_all();
}

std::optional<stream::StopCause> Control::cancelled_by() const {
  const std::lock_guard lock(mutex_);
  return cause_;
}

bool Control::wait(Millis pause) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, source_.get_token(), pause, [&] { return cause_.has_value(); });
  return !cause_;
}

void Control::set_handle(process::RunHandle* handle) {
  const std::lock_guard lock(mutex_);
  handle_ = handle;
}

}  // namespace ralph::run
