#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include <sys/types.h>

#include "core/base/time.h"
#include "system/process/supervise.h"

namespace ralph::run {

/// Restarts the silence limit while the process tree below `root` uses at least a twentieth of one processor, or while
/// `busy` reports that its output is still being decoded. Checks a few times per limit, in its own thread.
class CpuActivityMonitor {
 public:
  /// `silence` zero: no limit, nothing to do. `handle` outlives this.
  CpuActivityMonitor(pid_t root, Millis silence, process::RunHandle& handle,
                     std::function<bool()> busy);

 private:
  void look(const std::stop_token& stop, pid_t root, Millis every, process::RunHandle& handle);

  std::function<bool()> busy_;
  std::mutex mutex_;
  std::condition_variable_any wakeup_;
  std::jthread thread_;
};

}  // namespace ralph::run
