#include "harness/run/run_files.h"

#include "core/base/file.h"
#include "harness/run/bookkeeping.h"
#include "harness/run/protected_files.h"
#include "harness/run/run.h"

namespace ralph::run {

Result<RunFiles> RunFiles::open(const Request& request, std::vector<std::string>& warnings) {
  TRY_ASSIGN(auto workspace, store::Workspace::open(request.host.root()));
  RunFiles files(std::move(workspace));
  if (!request.lock_held) TRY(files.take_lock(request, warnings));
  if (request.host.sandboxed()) TRY(make_folders(request.log_dir));
  return files;
}

Result<> RunFiles::take_lock(const Request& request, std::vector<std::string>& warnings) {
  TRY_ASSIGN(auto lock,
             store::Lock::take(workspace_.lock_file(), store::LockUser::run, request.run_id));
  lock_.emplace(std::move(lock));
  store::sweep_tmp(workspace_);
  TRY_ASSIGN(auto watch,
             ConfigWatch::begin(request.state_folder, request.obeyed_files, request.host.root()));
  config_watch_.emplace(std::move(watch));
  const auto removed = workspace_.run_folder(request.run_id).path() / "removed";
  const auto found = ProtectedFiles::recover(request.host.workspace, request.state_folder, removed);
  warnings.insert(warnings.end(), found.begin(), found.end());
  return {};
}

Result<> RunFiles::create(const Request& request, backend::Plan& plan, const Masker& masker,
                          UtcTime start) {
  TRY(write_prompt(plan));
  if (request.host.sandboxed()) {
    const auto state = request.lock_held ? std::filesystem::path() : request.state_folder;
    TRY_ASSIGN(sandbox_, SandboxSession::open(plan, request.host, state, request.run_id));
  }
  TRY_ASSIGN(journal_, store::Journal::open(workspace_.run_folder(request.run_id), masker));
  return open_log(request, start);
}

Result<> RunFiles::next_attempt(const Request& request, const backend::Plan& plan, UtcTime start) {
  TRY(open_log(request, start));
  return write_prompt(plan);
}

/// Every error here is about the disk, whatever its code was.
Result<> RunFiles::open_log(const Request& request, UtcTime start) {
  const auto open = [&]() -> Result<store::RawLog> {
    TRY(workspace_.check());
    TRY_ASSIGN(const auto folder, log_folder(request.log_dir, workspace_));
    return store::RawLog::open(folder / request.backend->name,
                               raw_log_base(request, start).filename().native(), now_utc());
  };
  auto opened = open();
  if (!opened) return std::unexpected(as_storage(opened.error()));
  log_ = *std::move(opened);
  return {};
}

Result<> RunFiles::write_prompt(const backend::Plan& plan) {
  if (!plan.prompt_file) return {};
  prompt_file_.reset();
  const auto place = workspace_.tmp() / plan.prompt_file->path.filename().native();
  TRY_ASSIGN(auto file, store::TempFile::write(place, plan.prompt_file->bytes));
  prompt_file_.emplace(std::move(file));
  return {};
}

std::vector<Remark> RunFiles::finish_protection(const Request& request) {
  std::vector<Remark> remarks;
  if (sandbox_) {
    for (auto& line : sandbox_->close()) remarks.push_back({"sandbox", std::move(line)});
  }
  if (!config_watch_) return remarks;
  const auto changed = config_watch_->finish();
  for (auto& line : changed_settings(*config_watch_, changed, request.host.workspace)) {
    remarks.push_back({"settings", std::move(line)});
  }
  return remarks;
}

}  // namespace ralph::run
