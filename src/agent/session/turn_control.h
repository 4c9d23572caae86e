#pragma once
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace ralph::session {

/// How other threads (signals, the reader of stdin, a closed stdout) stop the agent.
class TurnControl {
 public:
  enum class StopMode {
    none,
    interrupt,  // the turn ends with an error result; the session continues
    finish,     // the turn ends with an error result, then the agent exits
    abandon,    // the agent exits at once, without a result
  };

  /// An interrupt that came while the agent was idle does not stop the new turn.
  std::stop_token begin_turn();
  void end_turn();

  /// Stops the current turn, if any, and calls the function of on_interrupt().
  void interrupt();
  /// What else an interrupt stops, also between turns. Set before other threads use this object.
  void on_interrupt(std::function<void()> stop_more) { stop_more_ = std::move(stop_more); }
  /// Stops the current turn, then the agent exits with this code.
  void finish(int exit_code);
  /// The agent exits without another result.
  void abandon(int exit_code);

  /// All messages are answered and the results written; the agent would exit with this code. Holds until the next turn is
  /// expected or begins.
  void set_answered(int exit_code);
  void expect_turn();
  std::optional<int> answered() const;

  StopMode stop_mode() const;
  bool abandoned() const { return stop_mode() == StopMode::abandon; }
  /// Requested by finish() and abandon(): read no more input.
  std::stop_token over() const { return over_.get_token(); }
  /// Set by finish() and abandon().
  std::optional<int> exit_code() const;

 private:
  void stop(StopMode mode, int exit_code);

  mutable std::mutex mutex_;
  std::stop_source turn_{std::nostopstate};
  std::stop_source over_;
  StopMode mode_ = StopMode::none;
  std::optional<int> exit_code_;
  std::optional<int> answered_;
  std::function<void()> stop_more_;
};

}  // namespace ralph::session
