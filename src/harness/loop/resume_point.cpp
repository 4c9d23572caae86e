#include "harness/loop/resume_point.h"

namespace ralph::loop {

ResumePoint resume_point(const store::LoopState& state, const Setup& setup,
                         std::string_view verify_digest, std::int64_t records) {
  ResumePoint point;
  point.same_checks = state.verify_digest == verify_digest;
  // What other commands verified is not done by these.
  point.done =
      state.end == store::StopReason::done && setup.goal == state.goal && point.same_checks;
  point.fresh_from = state.end || !point.same_checks ? records : state.fresh_from;
  return point;
}

}  // namespace ralph::loop
