#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/mask.h"
#include "harness/backend/plan.h"
#include "harness/run/config_watch.h"
#include "harness/run/request.h"
#include "harness/run/sandbox_session.h"
#include "harness/store/journal.h"
#include "harness/store/lock.h"
#include "harness/store/raw_log.h"
#include "harness/store/workspace.h"

namespace ralph::run {

/// A line for the user, with the topic of its notice.
struct Remark {
  std::string_view topic;
  std::string text;
};

/// The right of a run to work in its workspace.
struct WorkspaceClaim {
  /// Takes the workspace's lock, and puts back what a killed run left. If the caller holds the lock, it does neither.
  static Result<WorkspaceClaim> take(const Request& request, std::vector<std::string>& warnings);

  store::Workspace workspace;
  std::optional<store::Lock> lock;
  std::optional<ConfigWatch> config_watch;
};

/// The files a run holds from its start to its end: lock, prompt file, sandbox files, journal, raw log.
class RunFiles {
 public:
  /// Takes the route out of a sandboxed plan.
  static Result<RunFiles> create(WorkspaceClaim claim, const Request& request, backend::Plan& plan,
                                 const Masker& masker, UtcTime start);

  /// Starts another raw log and writes the prompt file again, which an agent may have changed.
  Result<> next_attempt(const Request& request, const backend::Plan& plan, UtcTime start);

  /// Call when no process of the agent is left. What the user should know.
  std::vector<Remark> finish_protection(const Request& request);

  const store::Workspace& workspace() const { return claim_.workspace; }
  store::Journal& journal() { return journal_; }
  store::RawLog& log() { return log_; }

 private:
  using PromptFile = std::optional<store::TempFile>;
  RunFiles(WorkspaceClaim claim, PromptFile prompt_file, std::unique_ptr<SandboxSession> sandbox,
           store::Journal journal, store::RawLog log)
      : claim_(std::move(claim)),
        journal_(std::move(journal)),
        prompt_file_(std::move(prompt_file)),
        sandbox_(std::move(sandbox)),
        log_(std::move(log)) {}

  WorkspaceClaim claim_;
  store::Journal journal_;
  PromptFile prompt_file_;  // none: the plan needs none
  std::unique_ptr<SandboxSession> sandbox_;
  store::RawLog log_;  // of the last attempt
};

}  // namespace ralph::run
