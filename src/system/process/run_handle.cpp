#include <algorithm>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

#include "system/process/run_handle_state.h"

namespace ralph::process {

namespace {

constexpr Millis kLongest = std::chrono::hours(24 * 3653);  // a clock can count so far

SteadyTime now() { return std::chrono::steady_clock::now(); }

}  // namespace

void RunHandle::State::wake_up() const {
  const std::uint64_t one = 1;
  // A full counter wakes up as well as one more would.
  [[maybe_unused]] const ssize_t written = ::write(wake.get(), &one, sizeof one);
}

void RunHandle::State::reset_wakeup() const {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(wake.get(), &count, sizeof count);
}

void RunHandle::State::touch() {
  const std::lock_guard lock(mutex);
  last_activity = now();
}

void RunHandle::State::end() {
  const std::lock_guard lock(mutex);
  ended = true;
  requests = {};
}

std::optional<Deadline> RunHandle::State::nearest() {
  const std::lock_guard lock(mutex);
  std::optional<Deadline> result;
  const auto consider = [&](Limit limit, std::optional<SteadyTime> at) {
    if (at && (!result || *at < result->at)) result = Deadline{limit, *at};
  };
  consider(Limit::wall, wall);
  consider(Limit::after_end, after_end);
  if (silence) consider(Limit::silence, last_activity + *silence);
  return result;
}

RunHandleRequests RunHandle::State::take_requests() {
  const std::lock_guard lock(mutex);
  return std::exchange(requests, {});
}

RunHandle::RunHandle() : state_(std::make_unique<State>()) {
  state_->wake.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

RunHandle::~RunHandle() = default;

void RunHandle::arm(Limit limit, Millis after) {
  after = std::clamp(after, Millis{0}, kLongest);
  {
    const std::lock_guard lock(state_->mutex);
    switch (limit) {
      case Limit::wall: state_->wall = now() + after; break;
      case Limit::after_end: state_->after_end = now() + after; break;
      case Limit::silence:
        state_->silence = after;
        state_->last_activity = now();
        break;
    }
  }
  state_->wake_up();
}

void RunHandle::shorten_wall(Millis after) {
  {
    const std::lock_guard lock(state_->mutex);
    const auto at = now() + std::clamp(after, Millis{0}, kLongest);
    if (!state_->wall || at < *state_->wall) state_->wall = at;
  }
  state_->wake_up();
}

void RunHandle::disarm(Limit limit) {
  const std::lock_guard lock(state_->mutex);
  switch (limit) {
    case Limit::wall: state_->wall.reset(); break;
    case Limit::after_end: state_->after_end.reset(); break;
    case Limit::silence: state_->silence.reset(); break;
  }
}

void RunHandle::touch() { state_->touch(); }

void RunHandle::write(std::string_view bytes) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->ended || state_->requests.close_stdin) return;
    state_->requests.input += bytes;
  }
  state_->wake_up();
}

void RunHandle::close_stdin() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->requests.close_stdin = true;
  }
  state_->wake_up();
}

void RunHandle::send_signal(int signal_number) {
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->ended) state_->requests.signals.push_back(signal_number);
  }
  state_->wake_up();
}

}  // namespace ralph::process
