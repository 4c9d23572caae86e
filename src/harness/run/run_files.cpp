#include "harness/run/run_files.h"

#include "core/base/file.h"
#include "harness/run/bookkeeping.h"
#include "harness/run/protected_files.h"
#include "harness/run/run.h"

namespace ralph::run {

namespace {

/// Every error here is about the disk, whatever its code was.
Result<store::RawLog> open_log(const store::Workspace& workspace, const Request& request,
                               const backend::Plan& plan, UtcTime start) {
  using enum store::LogFormat;
  const auto open = [&]() -> Result<store::RawLog> {
    TRY(workspace.check());
    TRY_ASSIGN(const auto folder, log_folder(request.log_dir, workspace));
    return store::RawLog::open(folder / request.backend->name,
                               raw_log_base(request, start).filename().native(), now_utc(),
                               plan.output == backend::Output::text ? text : stream_json);
  };
  auto opened = open();
  if (!opened) return std::unexpected(as_storage(opened.error()));
  return opened;
}

/// None: the plan needs none.
Result<std::optional<store::TempFile>> write_prompt(const store::Workspace& workspace,
                                                    const backend::Plan& plan) {
  if (!plan.prompt_file) return std::nullopt;
  const auto place = workspace.tmp() / plan.prompt_file->path.filename().native();
  return store::TempFile::write(place, plan.prompt_file->bytes);
}

}  // namespace

Result<WorkspaceClaim> WorkspaceClaim::take(const Request& request,
                                            std::vector<std::string>& warnings) {
  const auto& host = request.host;
  TRY_ASSIGN(auto workspace, store::Workspace::open(host.root()));
  if (host.sandboxed()) TRY(make_folders(request.log_dir));
  if (request.lock_held) return WorkspaceClaim{std::move(workspace), {}, {}};
  TRY_ASSIGN(auto lock,
             store::Lock::take(workspace.lock_file(), store::LockUser::run, request.run_id));
  store::sweep_tmp(workspace);
  TRY_ASSIGN(auto watch,
             ConfigWatch::begin(request.state_folder, request.obeyed_files, host.root()));
  const auto removed = workspace.run_folder(request.run_id).path() / "removed";
  const auto found = ProtectedFiles::recover(host.workspace, request.state_folder, removed);
  warnings.insert(warnings.end(), found.begin(), found.end());
  return WorkspaceClaim{std::move(workspace), std::move(lock), std::move(watch)};
}

Result<RunFiles> RunFiles::create(WorkspaceClaim claim, const Request& request, backend::Plan& plan,
                                  const Masker& masker, UtcTime start) {
  TRY_ASSIGN(auto prompt_file, write_prompt(claim.workspace, plan));
  std::unique_ptr<SandboxSession> sandbox;
  if (request.host.sandboxed()) {
    const auto state = request.lock_held ? std::filesystem::path() : request.state_folder;
    TRY_ASSIGN(sandbox, SandboxSession::open(plan, request.host, state, request.run_id));
  }
  TRY_ASSIGN(auto journal,
             store::Journal::open(claim.workspace.run_folder(request.run_id), masker));
  TRY_ASSIGN(auto log, open_log(claim.workspace, request, plan, start));
  return RunFiles(std::move(claim), std::move(prompt_file), std::move(sandbox), std::move(journal),
                  std::move(log));
}

Result<> RunFiles::next_attempt(const Request& request, const backend::Plan& plan, UtcTime start) {
  TRY_ASSIGN(log_, open_log(workspace(), request, plan, start));
  prompt_file_.reset();
  TRY_ASSIGN(auto file, write_prompt(workspace(), plan));
  if (file) prompt_file_.emplace(*std::move(file));
  return {};
}

std::vector<Remark> RunFiles::finish_protection(const Request& request) {
  std::vector<Remark> remarks;
  if (sandbox_) {
    for (auto& line : sandbox_->close()) remarks.push_back({"sandbox", std::move(line)});
  }
  if (!claim_.config_watch) return remarks;
  const auto changed = claim_.config_watch->finish();
  for (auto& line : changed_settings(*claim_.config_watch, changed, request.host.workspace)) {
    remarks.push_back({"settings", std::move(line)});
  }
  return remarks;
}

}  // namespace ralph::run
