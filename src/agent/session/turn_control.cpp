#include "agent/session/turn_control.h"

namespace ralph::session {

std::stop_token TurnControl::begin_turn() {
  const std::lock_guard lock(mutex_);
  turn_ = std::stop_source();
  answered_.reset();
  if (mode_ == StopMode::interrupt) mode_ = StopMode::none;
  if (mode_ != StopMode::none) turn_.request_stop();
  return turn_.get_token();
}

void TurnControl::end_turn() {
  const std::lock_guard lock(mutex_);
  turn_ = std::stop_source(std::nostopstate);
  if (mode_ == StopMode::interrupt) mode_ = StopMode::none;
}

void TurnControl::interrupt() {
  if (stop_more_) stop_more_();
  std::unique_lock lock(mutex_);
  if (!turn_.stop_possible() || mode_ != StopMode::none) return;
  mode_ = StopMode::interrupt;
  auto turn = turn_;
  lock.unlock();
  turn.request_stop();
}

void TurnControl::finish(int exit_code) { stop(StopMode::finish, exit_code); }
void TurnControl::abandon(int exit_code) { stop(StopMode::abandon, exit_code); }

/// A stronger mode replaces a weaker one. The callbacks of a stop request run without the lock.
void TurnControl::stop(StopMode mode, int exit_code) {
  std::unique_lock lock(mutex_);
  if (mode_ >= mode) return;
  mode_ = mode;
  exit_code_ = exit_code;
  auto turn = turn_;
  lock.unlock();
  turn.request_stop();
  over_.request_stop();
}

void TurnControl::set_answered(int exit_code) {
  const std::lock_guard lock(mutex_);
  answered_ = exit_code;
}

void TurnControl::expect_turn() {
  const std::lock_guard lock(mutex_);
  answered_.reset();
}

std::optional<int> TurnControl::answered() const {
  const std::lock_guard lock(mutex_);
  return answered_;
}

TurnControl::StopMode TurnControl::stop_mode() const {
  const std::lock_guard lock(mutex_);
  return mode_;
}

std::optional<int> TurnControl::exit_code() const {
  const std::lock_guard lock(mutex_);
  return exit_code_;
}

}  // namespace ralph::session
