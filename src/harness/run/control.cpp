#include "harness/run/control.h"

#include <csignal>

namespace ralph::run {

bool Control::ask(int signal_number) {
  const std::lock_guard lock(mutex_);
  if (signal_ != 0 || handle_ == nullptr) return false;
  signal_ = signal_number;
  handle_->shorten_wall(kPatience);
  handle_->send_signal(SIGINT);
  return true;
}

void Control::end(int signal_number) {
  {
    const std::lock_guard lock(mutex_);
    if (signal_ == 0) signal_ = signal_number;
  }
  source_.request_stop();
  changed_.notify_all();
}

int Control::cancelled_by() const {
  const std::lock_guard lock(mutex_);
  return signal_;
}

bool Control::wait(Millis pause) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, source_.get_token(), pause, [&] { return signal_ != 0; });
  return signal_ == 0;
}

void Control::set_handle(process::RunHandle* handle) {
  const std::lock_guard lock(mutex_);
  handle_ = handle;
}

}  // namespace ralph::run
