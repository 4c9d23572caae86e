#pragma once
#include <filesystem>
#include <optional>

#include "harness/loop/loop_reporter.h"
#include "harness/loop/setup.h"
#include "harness/run/config_watch.h"
#include "harness/run/protected_files.h"
#include "harness/store/workspace.h"

namespace ralph::loop {

/// The settings of ralph and git that an agent must not change unseen, for the iterations of a loop together.
class SettingsGuard {
 public:
  /// Remembers them, after what an earlier loop left was put back.
  Result<> begin(const Setup& setup, const store::Workspace& workspace, LoopReporter& reporter);
  /// Reports what the agent, or its code in verification, changed.
  void finish(LoopReporter& reporter);

 private:
  std::filesystem::path workspace_, removed_;
  std::optional<run::ConfigWatch> settings_;
  std::optional<run::ProtectedFiles> protected_;  // in a sandbox, which verification runs in too
};

}  // namespace ralph::loop
