#include "harness/run/decode_queue.h"

#include <exception>
#include <new>
#include <utility>

#include <fmt/core.h>

namespace ralph::run {

DecodeQueue::DecodeQueue(std::function<Result<>(std::string_view)> work,
                         std::function<void()> failed)
    : work_(std::move(work)), failed_(std::move(failed)), thread_([this] { serve(); }) {}

bool DecodeQueue::has_room() {
  const std::lock_guard lock(mutex_);
  return waiting_.size() < kMostWaiting || error_;
}

void DecodeQueue::push(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (!error_) waiting_ += bytes;
}

bool DecodeQueue::busy() {
  const std::lock_guard lock(mutex_);
  return working_ || !waiting_.empty();
}

void DecodeQueue::go() {
  {
    const std::lock_guard lock(mutex_);
    going_ = true;
  }
  changed_.notify_one();
}

std::optional<Error> DecodeQueue::finish() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
  return error_;
}

Result<> DecodeQueue::work_on(std::string_view bytes) {
  try {
    return work_(bytes);
  } catch (const std::bad_alloc&) {
    return fail(Code::unavailable, "out of memory",
                "a limit (ulimit -v, a container) may be too low");
  } catch (const std::exception& error) {
    return fail(Code::internal,
                fmt::format("the agent's output could not be shown: {}", error.what()),
                "please report it; the raw log holds all the agent printed");
  }
}

void DecodeQueue::serve() {
  std::string taken;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      working_ = false;
      changed_.wait(lock, [&] { return closed_ || (going_ && !waiting_.empty()); });
      if (waiting_.empty()) return;
      going_ = false;
      working_ = true;
      taken.clear();
      std::swap(taken, waiting_);
    }
    auto done = work_on(taken);
    if (done) continue;
    {
      const std::lock_guard lock(mutex_);
      error_ = std::move(done).error();
      waiting_.clear();
      working_ = false;
    }
    return failed_();
  }
}

}  // namespace ralph::run
