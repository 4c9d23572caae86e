#pragma once
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/loop/clock.h"
#include "harness/store/loop_event_log.h"
#include "harness/store/loop_observer.h"

namespace ralph::loop {

/// Passes every step of a loop to its event file, then to the observer. step(), info() and warn() are safe from any
/// thread.
class LoopReporter {
 public:
  LoopReporter(store::LoopObserver& observer, const Clock& clock)
      : observer_(observer), clock_(clock) {}

  /// From here on steps are written, those before are only shown.
  void write_to(store::LoopEventLog log);

  void step(store::LoopStep step);
  void info(std::string_view text) { note(stream::Level::info, text); }
  void warn(std::string_view text) { note(stream::Level::warning, text); }
  /// For show_start_warnings(): a loop that does not start shows its error only.
  void warn_at_start(std::string text);
  void show_start_warnings();

  /// A warning that the report repeats: possible tampering. The same one is reported once.
  void finding(store::Finding finding);
  /// For the report only.
  void silent_finding(store::Finding finding);
  const std::vector<store::Finding>& findings() const { return findings_; }

  store::LoopObserver& observer() { return observer_; }
  /// Why the last step is not in the file; nullopt: it is.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  void note(stream::Level level, std::string_view text);

  store::LoopObserver& observer_;
  const Clock& clock_;
  std::mutex mutex_;
  std::optional<store::LoopEventLog> log_;
  std::optional<Error> failure_;
  std::vector<std::string> at_start_;
  std::vector<store::Finding> findings_;
};

}  // namespace ralph::loop
