#pragma once
#include <vector>

#include "core/base/result.h"
#include "harness/loop/setup.h"
#include "harness/store/loop_state.h"

namespace ralph::loop {

/// Code::usage: uncommitted changes, which a loop with --commit refuses.
Result<> refuse_uncommitted(const Setup& setup, const std::vector<std::string>& dirty);
/// Code::usage: `branch` is not the one the loop began on.
Result<> refuse_other_branch(const store::LoopState& old, const std::string& branch);

/// For a loop that is only described: why --commit would refuse its start. `old`: of a resumed one; else null.
Result<> check_repository_at_start(const Setup& setup, const store::LoopState* old,
                                   const std::vector<store::LoopRecord>& records);

}  // namespace ralph::loop
