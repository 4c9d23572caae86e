#pragma once
#include <atomic>
#include <functional>
#include <stop_token>
#include <thread>

#include <signal.h>

namespace ralph::cli {

/// Takes SIGINT, SIGTERM and SIGHUP, each unless we were started to ignore it (nohup). Make it before other
/// threads: the signals are blocked in the calling thread and those it starts, and a thread of its own takes
/// them: the first requests a stop, and each is told to `on_signal`. Needs no descriptor: it works when none is left.
class StopSignals {
 public:
  explicit StopSignals(std::function<void(int)> on_signal = {});
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  /// The first signal that came; 0: none so far.
  int received() const { return received_; }
  /// Blocks until one comes.
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
