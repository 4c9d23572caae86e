#pragma once
#include <condition_variable>
#include <mutex>
#include <thread>

#include "core/base/time.h"
#include "harness/store/journal.h"

namespace ralph::run {

/// How long to wait before the next mark of a run that has lasted this long: the time of a killed run is known to a
/// tenth, and to half a minute.
Millis until_next_mark(Millis lasted);

/// Marks a run's journal from time to time, from a thread of its own: of a run that is killed while its agent prints
/// nothing, the last record gives its duration. The journal outlives this.
class AliveRecorder {
 public:
  explicit AliveRecorder(const store::Journal& journal);

 private:
  std::mutex mutex_;
  std::condition_variable_any wakeup_;
  std::jthread thread_;
};

}  // namespace ralph::run
