#include "harness/run/alive_recorder.h"

#include <algorithm>
#include <exception>

#include <fmt/core.h>

#include "core/base/log.h"

namespace ralph::run {

Millis until_next_mark(Millis lasted) {
  return std::clamp(lasted / 10, Millis{1000}, Millis{30'000});
}

AliveRecorder::AliveRecorder(const store::Journal& journal) {
  thread_ = std::jthread([this, &journal](const std::stop_token& stop) {
    try {
      std::unique_lock lock(mutex_);
      for (Millis lasted{0};;) {
        const auto pause = until_next_mark(lasted);
        wakeup_.wait_for(lock, stop, pause, [] { return false; });
        if (stop.stop_requested()) return;
        journal.mark_alive();
        lasted += pause;
      }
    } catch (const std::exception& error) {
      log::debug("run", fmt::format("the journal is no longer marked: {}", error.what()));
    }
  });
}

}  // namespace ralph::run
