#pragma once
#include <cstdint>
#include <string>

#include "harness/loop/loop_context.h"

namespace ralph::loop {

/// Runs iterations of the agent that works on the goal.
class Worker {
 public:
  explicit Worker(LoopContext& loop) : loop_(loop) {}

  /// One iteration, from its prompt to its record.
  MaybeStop iterate();
  /// The rest of an iteration whose agent answered: verification, commit, record.
  MaybeStop finish_answer(const store::Current& current, const RunOutcome& outcome);
  /// Puts the files back as they were before the iteration.
  Result<> roll_back(const store::Current& current, store::LoopRecord& record);
  /// Files may change from here to the next iteration.
  void forget_content() { left_content_.clear(); }

 private:
  bool start(std::int64_t iteration, std::string& prompt);
  RunOutcome run_agent(std::int64_t iteration, std::string prompt);
  std::int64_t attempt_of(std::int64_t iteration) const;
  void warn_of_ignored_done(const RunOutcome& outcome);
  MaybeStop finish_iteration(const store::Current& current, RunOutcome outcome);
  MaybeStop finish_failure(const store::Current& current, const RunOutcome& outcome);
  NextStep next_step(const RunOutcome& outcome) const;
  MaybeStop take(NextStep step, const RunOutcome& outcome);
  Result<> commit(const store::Current& current, store::LoopRecord& record);

  LoopContext& loop_;
  std::string left_content_;      // by the last iteration, when nothing could happen since
  std::string refused_guidance_;  // that a warning named
  bool log_removed_ = false;      // while the last run wrote it
};

}  // namespace ralph::loop
