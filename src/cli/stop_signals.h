#pragma once
#include <atomic>
#include <functional>
#include <stop_token>
#include <thread>

#include <signal.h>

#include "core/base/time.h"

namespace ralph::cli {

/// After a signal, a reader of our output that takes nothing for this long is given up.
inline constexpr Millis kSignalDrainTimeout{1000};

/// Handles SIGINT, SIGTERM and SIGHUP on its own thread, except those ignored at start (nohup). The first signal
/// requests a stop; each is passed to `on_signal`. Create it before other threads: the signals are blocked in the
/// calling thread and in threads started later. Uses no file descriptor, so that it works when none is left.
class StopSignals {
 public:
  explicit StopSignals(std::function<void(int)> on_signal = {});
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  /// The first signal received; 0: none yet.
  int received() const { return received_; }
  /// Blocks until a signal is received.
  void wait();

 private:
  void listen();
  void take(int signal_number);

  std::function<void(int)> on_signal_;
  sigset_t signals_{};
  sigset_t before_{};
  std::stop_source source_;
  std::atomic<int> received_ = 0;
  std::jthread thread_;
};

}  // namespace ralph::cli
