#pragma once
#include <cstdint>
#include <vector>

#include "harness/loop/loop_context.h"

namespace ralph::loop {

/// The iterations that the next summary covers beyond the last one, when the newest `recent` stay as they are.
std::vector<store::LoopRecord> records_to_summarize(const std::vector<store::LoopRecord>& records,
                                                    std::int64_t recent);
/// Every so many iterations; a failed try counts as one. Zero: never.
bool summary_is_due(const std::vector<store::LoopRecord>& records, std::int64_t every,
                    std::int64_t recent);

/// Lets an agent summarize the history of the loop, which then takes the place of old records in the prompt.
class Summarizer {
 public:
  explicit Summarizer(LoopContext& loop) : loop_(loop) {}

  bool is_due() const;
  MaybeStop summarize();

 private:
  RunOutcome run_agent(const store::Current& current,
                       const std::vector<store::LoopRecord>& records);

  LoopContext& loop_;
};

}  // namespace ralph::loop
