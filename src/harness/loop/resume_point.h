#pragma once
#include <cstdint>
#include <string_view>

#include "harness/loop/setup.h"
#include "harness/store/loop_state.h"

namespace ralph::loop {

/// Where a resumed loop goes on.
struct ResumePoint {
  bool same_checks = false;     // its verification is that of the loop's start
  bool done = false;            // the goal was reached, as these commands verify it
  std::int64_t fresh_from = 0;  // the record from which limits are counted
};

/// `verify_digest` is that of the commands now, `records` the number of them so far.
ResumePoint resume_point(const store::LoopState& state, const Setup& setup,
                         std::string_view verify_digest, std::int64_t records);

}  // namespace ralph::loop
