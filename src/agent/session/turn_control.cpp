#include "agent/session/turn_control.h"

namespace ralph::session {

std::stop_token TurnControl::begin_turn() {
  const std::lock_guard lock(mutex_);
  turn_ = std::stop_source();
  answered_.reset();
  if (ending_ == Ending::interrupt) ending_ = Ending::none;
  if (ending_ != Ending::none) turn_.request_stop();
  return turn_.get_token();
}

void TurnControl::end_turn() {
  const std::lock_guard lock(mutex_);
  turn_ = std::stop_source(std::nostopstate);
  if (ending_ == Ending::interrupt) ending_ = Ending::none;
}

void TurnControl::interrupt() {
  std::unique_lock lock(mutex_);
  if (!turn_.stop_possible() || ending_ != Ending::none) return;
  ending_ = Ending::interrupt;
  auto turn = turn_;
  lock.unlock();
  turn.request_stop();
}

void TurnControl::finish(int exit_code) { stop(Ending::finish, exit_code); }
void TurnControl::abandon(int exit_code) { stop(Ending::abandon, exit_code); }

/// A harder ending replaces a softer one. The callbacks of a stop request run without our lock.
void TurnControl::stop(Ending ending, int exit_code) {
  std::unique_lock lock(mutex_);
  if (ending_ >= ending) return;
  ending_ = ending;
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

TurnControl::Ending TurnControl::ending() const {
  const std::lock_guard lock(mutex_);
  return ending_;
}

std::optional<int> TurnControl::exit_code() const {
  const std::lock_guard lock(mutex_);
  return exit_code_;
}

}  // namespace ralph::session
