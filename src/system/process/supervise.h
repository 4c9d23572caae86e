#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <sys/resource.h>

#include "core/base/result.h"
#include "core/base/time.h"
#include "system/process/child.h"

namespace ralph::process {

/// Deadlines a caller may arm while the program runs.
enum class Limit {
  wall,       // from the moment it is armed
  silence,    // from the last output, or the last RunHandle::touch()
  after_end,  // from the moment it is armed: the program reported its result and should exit
};

/// Why supervise() ended the tree. `nothing`: the program exited by itself. `guard_lost`: the guard
/// was killed while the program ran; the tree was ended without it.
enum class EndedBy { nothing, wall, silence, after_end, stop_request, sink_failure, guard_lost };

/// Receives output in the order it is read. A sink may block: the pipe fills and the program waits;
/// no byte is lost or buffered. A sink that fails gets no more bytes and ends the run. Limits are
/// checked between two calls of a sink; a stop request ends the tree at once. An empty sink discards
/// the bytes.
using Sink = std::function<Result<>(std::string_view bytes)>;
struct Sinks {
  Sink out;
  Sink err;
  /// Called when no more output is pending, or a lot has arrived: for work that is cheaper in batches.
  /// Its failure counts as a sink's failure.
  std::function<Result<>()> pause;
  /// False: do not read stdout now; called again soon, limits stay in force. The argument is why the tree
  /// is being ended.
  std::function<bool(EndedBy)> ready;
};

/// How the tree is ended. Processes that remain after the program exited by itself get the grace
/// period too, but 0.2 s at most.
struct EndPolicy {
  Millis grace{2000};     // between SIGTERM and SIGKILL
  Millis drain{500};      // once the tree is gone: for output of other processes that hold the pipe
  Millis patience{5000};  // after the grace period: then the guard is killed
};

/// How a run ended: exactly one of exit_code and signal is set, unless the guard was lost first or
/// the program could not be ended.
struct Exit {
  std::optional<int> exit_code;
  std::optional<int> signal;
  EndedBy ended_by = EndedBy::nothing;
  std::optional<Error> sink_error;  // for EndedBy::sink_failure
  std::optional<Error> read_error;  // reading stdout or stderr failed
  int strays = 0;                   // other live processes of the tree that were ended
  int left = 0;                     // processes that could not be ended: they run as another user
  Millis duration{0};  // from start() to the exit of the program, without ending its tree
  Millis user_cpu{0};
  Millis system_cpu{0};
  std::int64_t max_rss_kb = 0;
  std::uint64_t out_bytes = 0;
  std::uint64_t err_bytes = 0;
};

/// The caller's handle on a running program; every method may be called from any thread, also from
/// a sink, also after the run has ended (then it does nothing).
class RunHandle {
 public:
  RunHandle();
  ~RunHandle();
  RunHandle(const RunHandle&) = delete;
  RunHandle& operator=(const RunHandle&) = delete;

  /// Arms a limit; one that is armed is moved.
  void arm(Limit limit, Millis after);
  void disarm(Limit limit);
  /// Arms the wall limit, unless it is armed and ends sooner.
  void shorten_wall(Millis after);
  /// Counts as output for Limit::silence.
  void touch();
  /// Queues bytes for a stdin that was kept open. Never blocks. Bytes are dropped when the program has
  /// closed its end.
  void write(std::string_view bytes);
  /// Closes stdin after the queued bytes are written.
  void close_stdin();
  /// Sends a signal to the program (not to its tree), e.g. SIGINT to ask for a clean stop. With a
  /// wrapper (Command::wrapper_depth) the wrapped program gets it, as soon as it runs.
  void send_signal(int signal_number);

 private:
  friend struct RunHandleAccess;
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads both outputs into the sinks, feeds stdin, enforces the limits, and returns when the program
/// has ended and no process of its tree is alive. A run ends with the program, not with its pipe;
/// everything written before is delivered. SIGPIPE is blocked in the calling thread, so a sink that
/// writes to a closed pipe gets EPIPE. A RunHandle serves one run.
Exit supervise(Child child, const Sinks& sinks, RunHandle& handle, std::stop_token stop,
               const EndPolicy& policy = {});

}  // namespace ralph::process
