#pragma once
#include "harness/loop/loop_context.h"
#include "harness/loop/recovery.h"
#include "harness/loop/summarizer.h"
#include "harness/loop/worker.h"

namespace ralph::loop {

/// The steps of a loop, one after the other, until one returns a stop. State is on disk after each step; run()
/// continues a killed loop.
class Loop {
 public:
  /// The parts outlive it.
  explicit Loop(LoopContext context)
      : context_(context), worker_(context_), summarizer_(context_), recovery_(context_, worker_) {}
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// What is known of the loop's end before it was resumed.
  enum class Before {
    not_over,  // or new
    ended,
    unsure,  // its state is what the workspace says, or other commands verify now
  };
  /// The records, including the interrupted run; call before run().
  std::vector<store::LoopRecord> records_and_interrupted() {
    return recovery_.records_and_interrupted();
  }
  LoopStop run(Before before);

 private:
  MaybeStop recorded_stop(Before before) const;
  MaybeStop step();

  LoopContext context_;
  Worker worker_;
  Summarizer summarizer_;
  Recovery recovery_;
};

}  // namespace ralph::loop
