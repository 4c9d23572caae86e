#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "harness/backend/plan.h"
#include "harness/run/model_proxy.h"
#include "harness/run/protected_files.h"
#include "harness/run/sandbox.h"
#include "harness/store/workspace.h"

namespace ralph::run {

/// What a sandboxed run needs outside its sandbox while the agent works: private copies of the agent's files, the directory
/// of its sessions, the proxy to the model.
class SandboxSession {
 public:
  /// Takes the route, and the key with it, out of the plan. `state` is ralph's state directory, for the case that ralph is
  /// killed; empty: the caller keeps a record.
  static Result<std::unique_ptr<SandboxSession>> open(backend::Plan& plan,
                                                      const backend::Host& host,
                                                      const std::filesystem::path& state,
                                                      std::string_view run_id);
  /// Call when no process of the agent is left. What the user should know, one line each.
  std::vector<std::string> close();

 private:
  explicit SandboxSession(const backend::Host& host)
      : protected_(host.workspace, named_by_repository(host)) {}

  ProtectedFiles protected_;
  std::filesystem::path removed_;  // where forbidden files go
  std::vector<store::TempFile> files_;
  std::unique_ptr<ModelProxy> proxy_;
};

}  // namespace ralph::run
