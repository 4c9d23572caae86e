#include "harness/run/bookkeeping.h"

#include <fmt/core.h>

#include "core/base/file.h"
#include "core/base/money.h"
#include "core/base/path.h"
#include "core/base/sha256.h"
#include "harness/store/budget.h"
#include "harness/store/sessions.h"

namespace ralph::run {
namespace {

std::string digest_of_system_prompt(const backend::Ask& ask) {
  if (ask.system_prompt.empty() && ask.append_system_prompt.empty()) return {};
  return sha256_hex(ask.system_prompt + '\0' + ask.append_system_prompt);
}

Result<store::Sessions> load_sessions(const store::Location& file,
                                      std::vector<std::string>& warnings) {
  std::string warning;
  auto sessions = store::Sessions::load(file, warning);
  if (!warning.empty()) warnings.push_back(std::move(warning));
  return sessions;
}

/// An agent that cannot go on with a session has no use for its id.
bool is_resumable(const Request& request, const stream::Summary& summary) {
  return request.backend->can.resume && store::is_session_id(summary.session_id);
}

/// --continue uses the last session that succeeded, or a new one; never a failed resume.
bool becomes_session_of_mode(const Request& request, const stream::Verdict& verdict) {
  if (!request.keeps_session) return false;
  return request.ask.resume.empty() || verdict.status() == stream::Status::success;
}

Result<> save_session(const Request& request, const store::Workspace& workspace,
                      const stream::Summary& summary, std::string_view mode,
                      std::vector<std::string>& warnings) {
  TRY_ASSIGN(auto sessions, load_sessions(workspace.sessions_file(), warnings));
  store::SessionRecord record;
  record.id = summary.session_id;
  if (!request.ask.resume.empty() && request.ask.resume != record.id) {
    record.forked_from = request.ask.resume;
  }
  record.backend = request.backend->name;
  record.total_cost_usd = summary.session_total_usd();
  const auto known = sessions.find(record.id);
  record.system_prompt_digest =
      known ? known->system_prompt_digest : digest_of_system_prompt(request.ask);
  record.updated = now_utc();
  record.folder = request.host.workspace.native();
  sessions.remember(mode, record);
  return sessions.save();
}

Result<> save_costs(const Request& request, const store::Workspace& workspace,
                    const stream::Summary& summary, std::vector<std::string>& warnings) {
  std::string warning;
  TRY_ASSIGN(auto budget, store::load_budget(workspace.budget_file(), warning));
  if (!warning.empty()) warnings.push_back(std::move(warning));
  budget.total_cost_usd = rounded_usd(budget.total_cost_usd + summary.cost_usd().value_or(0));
  budget.iterations += 1;
  // Those of a loop before it are not limits of this run.
  budget.max_cost_usd = request.ask.max_cost;
  budget.max_iterations.reset();
  return store::save_budget(workspace.budget_file(), budget);
}

/// Agents find a session only in the directory it began in. The file may be an agent's: nothing outside of the project is taken
/// from it, and a sandbox stays around the directory it was asked for.
void return_to(const std::filesystem::path& folder, Request& request,
               std::vector<std::string>& warnings) {
  auto& host = request.host;
  std::error_code error;
  const auto real = std::filesystem::canonical(folder, error);
  if (folder.empty() || error || real == host.workspace || request.folder_given) return;
  if (!is_below(real, host.root()) || !std::filesystem::is_directory(real, error)) return;
  if (host.sandboxed()) {
    warnings.push_back(fmt::format(
        "the session was started in '{}'; change to that directory to continue it", real.native()));
    return;
  }
  warnings.push_back(
      fmt::format("the session was started in '{}'; the agent works there", real.native()));
  host.workspace = real;
}

}  // namespace

double find_session(Request& request, std::vector<std::string>& warnings) {
  if (!request.continue_session && request.ask.resume.empty()) return 0;
  std::string warning;
  const auto file = store::Workspace::at(request.host.root()).sessions_file();
  const auto sessions = store::Sessions::peek(file, warning);
  if (!warning.empty()) warnings.push_back(std::move(warning));
  if (request.continue_session) {
    request.ask.resume = sessions.of_mode(request.mode);
    const auto known = sessions.find(request.ask.resume);
    const bool foreign =
        known && !known->backend.empty() && known->backend != request.backend->name;
    if (foreign || !store::is_session_id(request.ask.resume)) request.ask.resume.clear();
  }
  if (request.ask.resume.empty()) {
    warnings.push_back(
        fmt::format("no {} session is stored in this workspace; starting a new one", request.mode));
    return 0;
  }
  const auto known = sessions.find(request.ask.resume);
  if (!known) return 0;
  return_to(known->folder, request, warnings);
  const auto digest = digest_of_system_prompt(request.ask);
  if (!digest.empty() && known->system_prompt_digest != digest) {
    warnings.push_back(
        "the system prompt differs from the one this session was started with; the agent keeps the "
        "old one");
  }
  return known->total_cost_usd;
}

bool forked_session(const Request& request, const stream::Summary& summary) {
  const auto& asked = request.ask.resume;
  return !asked.empty() && !summary.session_id.empty() && summary.session_id != asked &&
         (summary.turns > 0 || summary.usage().output > 0);
}

Result<> save_new_session(const Request& request, const store::Workspace& workspace,
                          const stream::Summary& summary, std::vector<std::string>& warnings) {
  if (!request.keeps_session || !request.ask.resume.empty() || !is_resumable(request, summary))
    return {};
  TRY(workspace.check());
  return save_session(request, workspace, summary, request.mode, warnings);
}

Result<> save_state(const Request& request, const store::Workspace& workspace,
                    const stream::Summary& summary, const stream::Verdict& verdict,
                    std::vector<std::string>& warnings) {
  const bool resumed = request.ask.resume.empty() || request.ask.resume == summary.session_id ||
                       forked_session(request, summary);
  if (is_resumable(request, summary) && resumed) {
    const auto mode = becomes_session_of_mode(request, verdict) ? request.mode : std::string();
    TRY(save_session(request, workspace, summary, mode, warnings));
  }
  if (!request.keeps_budget) return {};
  return save_costs(request, workspace, summary, warnings);
}

Result<store::Location> log_folder(const std::filesystem::path& log_dir,
                                   const store::Workspace& workspace) {
  const auto below = log_dir.lexically_normal().lexically_relative(workspace.root());
  if (!below.empty() && *below.begin() != "..") {
    return store::Location(workspace.root(), {below.begin(), below.end()});
  }
  TRY(make_folders(log_dir));
  std::error_code error;
  const auto real = std::filesystem::canonical(log_dir, error);
  if (error) return fail_errno(error.value(), "cannot use '" + log_dir.native() + "'");
  return store::Location(real, {});
}

}  // namespace ralph::run
