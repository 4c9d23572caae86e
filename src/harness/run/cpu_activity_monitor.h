#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include <sys/types.h>

#include "core/base/time.h"
#include "system/process/supervise.h"

namespace ralph::run {

/// Counts processor time as life: while the tree below `root` uses at least a twentieth of one processor, or `busy`
/// says that what it printed is still being worked on, the silence limit begins anew. Looks a few times per limit, from a thread of its own.
class LifeSigns {
 public:
  /// `silence` zero: there is no such limit and nothing to do. The watch outlives this.
  LifeSigns(pid_t root, Millis silence, process::Watch& watch, std::function<bool()> busy);

 private:
  void look(const std::stop_token& stop, pid_t root, Millis every, process::Watch& watch);

  std::function<bool()> busy_;
  std::mutex mutex_;
  std::condition_variable_any never_;
  std::jthread thread_;
};

}  // namespace ralph::run
