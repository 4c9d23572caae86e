#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"
#include "harness/store/loop_event.h"
#include "harness/store/loop_record.h"
#include "harness/store/loop_state.h"
#include "harness/stream/handler.h"
#include "harness/stream/summary.h"

namespace ralph::store {

/// One run of an agent in a loop.
struct RunInfo {
  AgentRole role = AgentRole::worker;
  std::int64_t iteration = 0;
  std::string run_id;
};

/// Shows a loop. Called from the thread of the loop, but for the handlers, and on() with a note from theirs.
class LoopObserver {
 public:
  virtual ~LoopObserver() = default;
  virtual void started(const LoopState& state, const std::vector<LoopRecord>& before) = 0;
  /// A run begins: the handlers get its events, after the summary.
  virtual std::vector<stream::Handler*> run_started(const RunInfo& run,
                                                    const stream::Summary& summary) = 0;
  virtual void run_ended(const RunInfo& run, const LoopRecord& record,
                         const LoopTotals& totals) = 0;
  /// Every step of the loop, those above included, once it is in loop.ndjson.
  virtual void on(const LoopEvent& event) = 0;
  virtual void output_of_verification(std::string_view bytes) = 0;
  /// About once a second while the loop waits. True: continue now.
  virtual bool waiting(std::string_view why, Millis left) = 0;
  virtual void flush() = 0;
  /// The loop is being stopped: a reader of the output is waited for at most this long.
  virtual void set_drain_timeout(Millis patience) = 0;
};

}  // namespace ralph::store
