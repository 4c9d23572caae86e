#include "harness/loop/settings_guard.h"

#include "harness/run/sandbox.h"

namespace ralph::loop {

Result<> SettingsGuard::begin(const Setup& setup, const store::Workspace& workspace,
                              LoopReporter& reporter) {
  const auto& request = setup.request;
  workspace_ = request.host.workspace;
  removed_ = workspace.run_folder(setup.loop_id).path() / "removed";
  TRY_ASSIGN(auto settings, run::ConfigWatch::begin(request.state_folder, request.obeyed_files,
                                                    request.host.root()));
  settings_.emplace(std::move(settings));
  for (auto& line : run::ProtectedFiles::recover(workspace_, request.state_folder, removed_)) {
    reporter.warn_at_start(std::move(line));
  }
  if (!request.host.sandboxed()) return {};
  protected_.emplace(workspace_, run::named_by_repository(request.host));
  return protected_->remember(request.state_folder);
}

void SettingsGuard::finish(LoopReporter& reporter) {
  if (protected_) {
    for (const auto& line : protected_->restore(removed_)) reporter.warn(line);
  }
  const auto changed = settings_->finish();
  for (const auto& line : run::changed_settings(*settings_, changed, workspace_)) {
    reporter.finding({line});
  }
}

}  // namespace ralph::loop
