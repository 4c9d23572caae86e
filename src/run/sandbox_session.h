#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/plan.h"
#include "base/result.h"
#include "run/model_proxy.h"
#include "run/protected_files.h"
#include "store/workspace.h"

namespace ralph::run {

/// What a sandboxed run needs outside its sandbox while the agent works: private copies of the agent's files, the folder
/// of its sessions, the proxy to the model.
class SandboxSession {
 public:
  /// Takes the route, and the key with it, out of the plan.
  static Result<std::unique_ptr<SandboxSession>> open(backend::Plan& plan,
                                                      const std::filesystem::path& workspace,
                                                      std::string_view run_id);
  /// Call when nothing of the agent is left. What the user should know, one line each.
  std::vector<std::string> close();

 private:
  explicit SandboxSession(const std::filesystem::path& workspace) : missing_(workspace) {}

  MissingFiles missing_;
  std::filesystem::path removed_;  // where forbidden files go
  std::vector<store::TempFile> files_;
  std::unique_ptr<ModelProxy> proxy_;
};

}  // namespace ralph::run
