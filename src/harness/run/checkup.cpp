#include "harness/run/checkup.h"

#include <algorithm>
#include <optional>
#include <thread>

#include <fmt/core.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "harness/backend/credentials.h"
#include "harness/run/request.h"
#include "harness/run/run.h"
#include "harness/run/sandbox.h"
#include "harness/run/tool_checks.h"
#include "harness/run/versions.h"
#include "system/process/confinement.h"

namespace ralph::run {
namespace {

using Level = Check::Level;
using config::Key;

constexpr std::uint64_t kLittleSpace = std::uint64_t{500} << 20;
constexpr std::uint64_t kNoSpace = std::uint64_t{4} << 20;

std::vector<InstalledAgent> find_agents(const backend::Host& host) {
  std::vector<InstalledAgent> agents;
  for (const auto& candidate : backend::candidates()) {
    if (candidate.program == backend::kOwnProgram) continue;
    const auto path = backend::find_program(candidate, host);
    if (!path) continue;
    agents.push_back(
        {std::string(candidate.name), path->native(), {}, {}, candidate.backend != nullptr});
  }
  std::vector<Result<std::string>> answers(agents.size());
  Versions versions(Versions::usual_cache(host));
  {
    std::vector<std::jthread> asking;
    asking.reserve(agents.size());
    for (std::size_t i = 0; i < agents.size(); ++i) {
      asking.emplace_back([&, i] {
        try {
          answers[i] = versions.ask(agents[i].path, host);
        } catch (const std::exception& error) {
          answers[i] = fail(Code::internal, error.what());
        }
      });
    }
  }
  for (std::size_t i = 0; i < agents.size(); ++i) {
    if (answers[i]) {
      agents[i].version =
          *answers[i] + (backend::is_own_executable(agents[i].path) ? ", which is ralph" : "");
    } else {
      agents[i].problem = answers[i].error().message;
      agents[i].broken = answers[i].error().code != Code::busy;
    }
  }
  return agents;
}

std::vector<Check> check_config(const Result<config::Loaded>& settings) {
  if (!settings) {
    return {{Level::blocks, "config", settings.error().message, settings.error().hint}};
  }
  std::vector<Check> checks;
  for (const auto& warning : settings->warnings) {
    checks.push_back({Level::warning, "config", warning, {}});
  }
  if (!settings->notes.empty()) {
    checks.push_back(
        {Level::note, "config", fmt::format("valid; {}", settings->notes.front()), {}});
  }
  if (checks.empty()) checks.push_back({Level::ok, "config", "valid", {}});
  return checks;
}

const backend::Backend& own_agent() {
  return *std::ranges::find(backend::candidates(), backend::kOwnProgram,
                            &backend::Candidate::program)
              ->backend;
}

/// A program that was found may still not be one that can be started.
Check check_backend(const Result<const backend::Backend*>& chosen, std::string_view asked,
                    const std::vector<InstalledAgent>& agents) {
  if (!chosen) return {Level::blocks, "backend", chosen.error().message, chosen.error().hint};
  const auto agent = std::ranges::find(agents, (*chosen)->name, &InstalledAgent::name);
  if (agent != agents.end() && agent->broken) {
    return {Level::blocks, "backend",
            fmt::format("{} cannot be started: {}", (*chosen)->name, agent->problem),
            fmt::format("run '{} --version' in a shell to see why, reinstall it ({}), or use "
                        "ralph's own agent: --backend {}",
                        agent->path, (*chosen)->install_hint, own_agent().name)};
  }
  if (asked == (*chosen)->name) return {Level::ok, "backend", std::string(asked), {}};
  return {Level::ok, "backend", fmt::format("{} (found by '{}')", (*chosen)->name, asked), {}};
}

Check check_credential(const backend::Host& host, const backend::Backend& chosen,
                       backend::Auth auth) {
  const auto& agent = backend::agent_behind(chosen, host);
  if (agent.access.credentials == nullptr) {
    return {Level::note, "credential", "decided by the command", {}};
  }
  const auto found = agent.access.credentials(host);
  if (found.empty()) {
    return {Level::blocks, "credential", fmt::format("none found for {}", agent.product),
            std::string(agent.auth_hint)};
  }
  using Kind = backend::Credential::Kind;
  if (found.front().kind == Kind::api_key && backend::hides_key(chosen, auth, host)) {
    const bool there =
        chosen.access.has_stored_login != nullptr && chosen.access.has_stored_login(host);
    return {there ? Level::note : Level::blocks, "credential",
            fmt::format("{}; {} is set but not used",
                        there ? "the stored login" : "no stored login", found.front().source),
            "'--auth api-key' uses the key"};
  }
  return {Level::ok, "credential", found.front().words, {}};
}

Check check_nesting(const backend::Host& host) {
  for (const auto* backend : backend::backends()) {
    const auto name = backend->session_variable;
    if (name.empty() || backend::variable(host, name).value_or("").empty()) continue;
    return {Level::note,
            "nested session",
            fmt::format("inside {}: {} is removed for the agent", backend->product, name),
            {}};
  }
  return {Level::ok, "nested session", "no", {}};
}

Check check_disk(const backend::Host& host) {
  struct statvfs info{};
  if (::statvfs(host.workspace.c_str(), &info) != 0) {
    return {Level::warning,
            "disk",
            fmt::format("cannot determine the free space of '{}'", host.workspace.native()),
            {}};
  }
  const auto free = static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
  const auto words = fmt::format("{:.1f} GB free", static_cast<double>(free) / 1e9);
  if (free < kNoSpace)
    return {Level::blocks, "disk", words, "free disk space: every run writes logs"};
  if (free < kLittleSpace)
    return {Level::warning, "disk", words, "long runs write hundreds of megabytes of logs"};
  return {Level::ok, "disk", words, {}};
}

/// What prevents writing to a directory; none if it is missing, because it can be created.
std::optional<Check> obstacle(const std::filesystem::path& folder) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(folder, error);
  if (!std::filesystem::exists(status)) return std::nullopt;
  if (!std::filesystem::is_directory(status)) {
    return Check{Level::blocks, "workspace",
                 fmt::format("'{}' is not a directory", folder.native()), "move or remove it"};
  }
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return std::nullopt;
  return Check{Level::blocks, "workspace", fmt::format("'{}' is not writable", folder.native()),
               "change its permissions, or use --cwd"};
}

Check check_writable(const backend::Host& host) {
  const auto ours = host.root() / ".ralph";
  for (const auto& folder :
       {host.workspace, ours, ours / "logs", ours / "runs", ours / "state", ours / "tmp"}) {
    if (const auto found = obstacle(folder)) return *found;
  }
  return {Level::ok, "workspace", host.workspace.native(), {}};
}

/// Settings that 'ralph run' refuses with any prompt.
std::optional<Check> check_request(const config::Settings& settings, const backend::Host& host) {
  Invocation invocation;
  invocation.run_id = "doctor";
  invocation.environment = host.environment;
  invocation.is_root = host.is_root;
  invocation.instead_of_prompt = "x";
  std::vector<std::string> warnings;
  auto request = make_request(settings, std::move(invocation), Masker(host.environment));
  if (!request)
    return Check{Level::blocks, "settings", request.error().message, request.error().hint};
  const auto plan = prepare(*request, warnings);
  if (plan) return std::nullopt;
  return Check{Level::blocks, "settings", plan.error().message, plan.error().hint};
}

/// What the agent is allowed to do, and whether it starts.
Check check_permissions(const backend::Backend& backend, const backend::Host& host,
                        const config::Settings& settings) {
  const bool confined = sandbox_of(settings) != backend::SandboxLevel::off;
  const auto& mode = settings.text(Key::permission_mode);
  if (!backend::is_skip_mode(backend, mode)) return {Level::ok, "permissions", "mode " + mode, {}};
  if (confined) return {Level::ok, "permissions", "everything, in a sandbox", {}};
  const auto variable = backend.permissions.sandbox_variable;
  if (backend::in_trusted_sandbox(backend, host))
    return {Level::ok,
            "permissions",
            fmt::format("everything ({}=1 declares this machine a sandbox)", variable),
            {}};
  if (host.is_root) {
    return {Level::blocks, "permissions", "the agent refuses to skip permissions as root",
            fmt::format("use --sandbox, {}=1 in a container you trust, --permission-mode, or run "
                        "as an ordinary user",
                        variable)};
  }
  return {Level::warning, "permissions", "everything your user is allowed to do",
          "--sandbox confines the agent"};
}

/// A strict sandbox also needs a network namespace.
Check check_bubblewrap(backend::Host host, bool wanted) {
  host.sandbox = backend::SandboxLevel::strict;
  const auto strict = check_sandbox(host);
  if (strict) return {Level::ok, "sandbox", "available, strict too", {}};
  host.sandbox = backend::SandboxLevel::on;
  const auto works = check_sandbox(host);
  if (works) {
    return {Level::note, "sandbox", "available, but not strict: " + strict.error().message, {}};
  }
  return {wanted ? Level::blocks : Level::note, "sandbox", works.error().message,
          works.error().hint};
}

/// How the commands of ralph's own agent are confined.
Check check_confinement() {
  const auto support = process::full_support();
  const bool kernel = support.landlock_abi > 0 && support.seccomp && support.mounts;
  if (kernel || !support.bubblewrap.empty())
    return {Level::ok, "confinement", process::describe(support), {}};
  const auto why = support.landlock_abi <= 0 ? std::string("the kernel has no Landlock")
                   : !support.seccomp        ? std::string("no seccomp filter")
                                             : support.no_mounts;
  return {Level::warning, "confinement", fmt::format("{} ({})", process::describe(support), why),
          "install bubblewrap, or allow user namespaces"};
}

}  // namespace

std::string_view to_string(Check::Level level) {
  switch (level) {
    case Level::ok: return "ok";
    case Level::note: return "note";
    case Level::warning: return "warning";
    case Level::blocks: return "blocks";
  }
  return "";
}

bool Checkup::blocked() const {
  return std::ranges::any_of(checks,
                             [](const Check& check) { return check.level == Level::blocks; });
}

Checkup check_up(const Result<config::Loaded>& settings, const backend::Host& host) {
  Checkup result;
  result.agents = find_agents(host);
  auto& checks = result.checks;
  checks = check_config(settings);
  if (settings) {
    const auto asked = backend_name(settings->settings);
    const auto chosen = backend::choose(asked, host);
    checks.push_back(check_backend(chosen, asked, result.agents));
    if (chosen) {
      result.own_agent = backend::agent_behind(**chosen, host).program == backend::kOwnProgram;
      checks.push_back(check_credential(host, **chosen, auth_of(settings->settings)));
    }
    if (chosen && !(*chosen)->access.endpoint_variable.empty()) {
      checks.push_back(check_endpoint(**chosen, host));
    }
    if (chosen && (*chosen)->can.permission_mode) {
      checks.push_back(check_permissions(**chosen, host, settings->settings));
    }
  }
  checks.push_back(check_writable(host));
  if (settings && !result.blocked()) {
    if (const auto refused = check_request(settings->settings, host)) checks.push_back(*refused);
  }
  checks.push_back(check_disk(host));
  checks.push_back(check_git(host));
  checks.push_back(check_ripgrep(host));
  checks.push_back(check_nesting(host));
  checks.push_back(check_confinement());
  checks.push_back(check_bubblewrap(
      host, settings && sandbox_of(settings->settings) != backend::SandboxLevel::off));
  return result;
}

}  // namespace ralph::run
