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

/// The files a run holds from its start to its end: lock, prompt file, sandbox files, journal, raw log.
class RunFiles {
 public:
  /// Takes the workspace's lock, unless the caller holds it.
  static Result<RunFiles> open(const Request& request, std::vector<std::string>& warnings);

  /// Creates the files that depend on the plan; takes the route out of a sandboxed plan.
  Result<> create(const Request& request, backend::Plan& plan, const Masker& masker, UtcTime start);

  /// Starts another raw log and writes the prompt file again, which an agent may have changed.
  Result<> next_attempt(const Request& request, const backend::Plan& plan, UtcTime start);

  /// Call when no process of the agent is left. What the user should know.
  std::vector<Remark> finish_protection(const Request& request);

  const store::Workspace& workspace() const { return workspace_; }
  store::Journal& journal() { return *journal_; }
  store::RawLog& log() { return *log_; }

 private:
  explicit RunFiles(store::Workspace workspace) : workspace_(std::move(workspace)) {}
  Result<> take_lock(const Request& request, std::vector<std::string>& warnings);
  Result<> open_log(const Request& request, UtcTime start);
  Result<> write_prompt(const backend::Plan& plan);

  store::Workspace workspace_;
  std::optional<store::Lock> lock_;
  std::optional<store::Journal> journal_;
  std::optional<store::TempFile> prompt_file_;
  std::unique_ptr<SandboxSession> sandbox_;
  std::optional<ConfigWatch> config_watch_;
  std::optional<store::RawLog> log_;
};

}  // namespace ralph::run
