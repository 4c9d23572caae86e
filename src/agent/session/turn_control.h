#pragma once
#include <mutex>
#include <optional>
#include <stop_token>

namespace ralph::session {

/// How other threads (signals, the reader of stdin, a closed stdout) end what the agent does.
class TurnControl {
 public:
  enum class Ending {
    none,
    interrupt,  // the turn ends with an error result; the session goes on
    finish,     // … and is over
    abandon,    // all ends at once, without a result
  };

  /// A turn begins. Asking an idle agent to interrupt has no effect on the next turn.
  std::stop_token begin_turn();
  void end_turn();

  /// Ends the turn that runs, if one does.
  void interrupt();
  /// Ends the turn and then the agent, which exits with this code.
  void finish(int exit_code);
  /// Ends the agent without another word.
  void abandon(int exit_code);

  /// Every message was answered, and the answers were written; with the code the agent would exit with. Until the next
  /// turn is expected or begins.
  void set_answered(int exit_code);
  void expect_turn();
  std::optional<int> answered() const;

  Ending ending() const;
  bool abandoned() const { return ending() == Ending::abandon; }
  /// Set by finish() and abandon(): no more input is wanted.
  std::stop_token over() const { return over_.get_token(); }
  /// What finish() or abandon() asked for.
  std::optional<int> exit_code() const;

 private:
  void stop(Ending ending, int exit_code);

  mutable std::mutex mutex_;
  std::stop_source turn_{std::nostopstate};
  std::stop_source over_;
  Ending ending_ = Ending::none;
  std::optional<int> exit_code_;
  std::optional<int> answered_;
};

}  // namespace ralph::session
