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
  silence,    // from the last byte of output, or the last Watch::touch()
  after_end,  // from the moment it is armed: the program said it is done and should leave
};

/// What made supervise() end the tree. `nothing`: the program ended by itself. `guard_lost`:
/// somebody killed the guard while the program ran; the tree was ended without it.
enum class EndedBy { nothing, wall, silence, after_end, stop_request, sink_failure, guard_lost };

/// Where the bytes go, in the order they are read. A sink may block: the program is then slowed
/// down by its full pipe, no byte is lost and nothing is buffered. A sink that fails gets no more
/// bytes and ends the run. Limits are looked at between two calls of a sink; a stop request ends
/// the tree at once. An empty sink throws the bytes away.
using Sink = std::function<Result<>(std::string_view bytes)>;
struct Sinks {
  Sink out;
  Sink err;
  /// Called when the sinks got bytes and nothing more is there for the moment, or much of it came: for
  /// what need not be done piece by piece. Its failure is that of a sink.
  std::function<Result<>()> pause;
  /// False: stdout is not read for the moment, and this is asked again soon; limits are kept meanwhile. It is told
  /// why the tree is being ended, when it is.
  std::function<bool(EndedBy)> ready;
};

/// How hard the tree is ended. What a program leaves behind when it ends by itself gets the grace
/// too, but 0.2 s at most.
struct EndPolicy {
  Millis grace{2000};     // between SIGTERM and SIGKILL
  Millis drain{500};      // once the tree is gone: for output of strangers that hold the pipe
  Millis patience{5000};  // beyond the grace: then the guard itself is ended
};

/// How a run ended: exactly one of exit_code and signal is set, unless the guard was lost first or
/// the program could not be ended.
struct Exit {
  std::optional<int> exit_code;
  std::optional<int> signal;
  EndedBy ended_by = EndedBy::nothing;
  std::optional<Error> sink_error;  // for EndedBy::sink_failure
  std::optional<Error> read_error;  // stdout or stderr could not be read to its end
  int strays = 0;                   // live processes beside the program itself that we ended
  int left = 0;                     // processes that could not be ended (they changed user)
  Millis duration{0};               // from start() to the program's end, not counting the sweep
  Millis user_cpu{0};
  Millis system_cpu{0};
  std::int64_t max_rss_kb = 0;
  std::uint64_t out_bytes = 0;
  std::uint64_t err_bytes = 0;
};

/// The caller's handle on a running program; every method may be called from any thread, also from
/// a sink, also after the run has ended (then it does nothing).
class Watch {
 public:
  Watch();
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  /// Arms a limit, or moves it when it is armed already.
  void arm(Limit limit, Millis after);
  void disarm(Limit limit);
  /// Arms the wall limit, unless it is armed and nearer already.
  void shorten_wall(Millis after);
  /// Counts as a sign of life for Limit::silence.
  void touch();
  /// Queues bytes for a stdin that was kept open. Never blocks. Dropped once the program closed its
  /// end.
  void write(std::string_view bytes);
  /// Ends stdin once what was queued is written.
  void close_stdin();
  /// Sends a signal to the program itself (not to its tree), e.g. SIGINT to ask for a clean stop.
  /// A wrapped program (Command::wrapper_depth) gets it instead of its wrapper, once it is there.
  void send_signal(int signal_number);

 private:
  friend struct WatchAccess;
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads both outputs into the sinks, feeds stdin, keeps the deadlines, and returns when the
/// program has ended and nothing of its tree is alive. The end of a run is the end of the program,
/// not of its pipe; what it wrote before is delivered whole. SIGPIPE is blocked in the calling
/// thread meanwhile, so a sink that writes to a closed pipe gets EPIPE. A Watch serves one run.
Exit supervise(Child child, const Sinks& sinks, Watch& watch, std::stop_token stop,
               const EndPolicy& policy = {});

}  // namespace ralph::process
