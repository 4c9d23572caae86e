#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "harness/loop/answer.h"
#include "harness/run/request.h"
#include "harness/store/loop_observer.h"
#include "harness/store/loop_record.h"
#include "harness/stream/outcome.h"
#include "harness/stream/summary.h"

namespace ralph::loop {

/// What a run of an agent came to.
struct RunOutcome {
  stream::Verdict verdict;
  Answer answer;
  stream::Summary summary;
  store::TimeSplit time;
  std::vector<stream::Summary> corrections = {};  // runs of their own
  bool hit_cost_limit = false;
  std::filesystem::path raw_log = {};      // without those of corrections
  std::optional<Error> not_recorded = {};  // its journal is incomplete
  /// Of an interrupted run: what its raw log says it cost, where that is more than its journal knows.
  double cost_at_least_usd = 0;
};

/// Runs an agent once, corrections of its answer included. The loop starts agents through nothing else.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual RunOutcome run(run::Request request, const store::RunInfo& info) = 0;
};

}  // namespace ralph::loop
