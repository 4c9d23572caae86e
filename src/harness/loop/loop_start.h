#pragma once
#include <optional>
#include <vector>

#include "harness/loop/loop_parts.h"

namespace ralph::loop {

/// Starts a loop, a new one or one that is resumed: checks all that can be refused, then writes its state.
class LoopStart {
 public:
  explicit LoopStart(LoopParts& parts)
      : parts_(parts), setup_(parts.setup), keeper_(parts.keeper), reporter_(parts.reporter) {}

  Result<> start();

 private:
  Result<> check_agent() const;
  Result<std::optional<store::LoopState>> load_old();
  Result<> begin_new(const std::optional<store::LoopState>& old);
  Result<> resume(store::LoopState old);

  Result<> record_interrupted(const store::LoopState& old);
  Result<> put_old_aside(const store::LoopState& old);
  Result<> begin_repository();
  Result<> open_repository();
  Result<> resume_repository();
  void remove_stale_locks(const store::LoopState& old);
  void set_goal();
  void set_verification();
  void describe_setup();

  LoopParts& parts_;
  const Setup& setup_;
  StateKeeper& keeper_;
  LoopReporter& reporter_;
  std::vector<OwnOutput> outputs_;  // of this loop, and of those before it
  bool unsure_of_end_ = false;      // the state is what the workspace says
};

}  // namespace ralph::loop
