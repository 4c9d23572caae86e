#include "run/relay.h"

#include <utility>

namespace ralph::run {

Relay::Relay(std::function<Result<>(std::string_view)> work, std::function<void()> failed)
    : work_(std::move(work)), failed_(std::move(failed)), thread_([this] { serve(); }) {}

bool Relay::has_room() {
  const std::lock_guard lock(mutex_);
  return waiting_.size() < kMostWaiting || error_;
}

void Relay::push(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (!error_) waiting_ += bytes;
}

void Relay::go() {
  {
    const std::lock_guard lock(mutex_);
    going_ = true;
  }
  changed_.notify_one();
}

std::optional<Error> Relay::finish() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  return error_;
}

void Relay::serve() {
  std::string taken;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return closed_ || (going_ && !waiting_.empty()); });
      if (waiting_.empty()) return;
      going_ = false;
      taken.clear();
      std::swap(taken, waiting_);
    }
    if (auto done = work_(taken); !done) {
      {
        const std::lock_guard lock(mutex_);
        error_ = std::move(done).error();
      }
      return failed_();
    }
  }
}

}  // namespace ralph::run
