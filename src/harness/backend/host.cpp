#include <algorithm>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "core/base/nearest.h"
#include "harness/backend/entries_impl.h"
#include "harness/backend/plan.h"
#include "system/process/environment.h"

namespace ralph::backend {

std::vector<std::string> known_backends() {
  std::vector<std::string> names{"auto"};
  for (const auto* backend : backends()) names.emplace_back(backend->name);
  for (const Candidate& candidate : candidates()) {
    if (candidate.backend == nullptr) names.emplace_back(candidate.name);
  }
  return names;
}

namespace {

namespace fs = std::filesystem;

/// "claude, builtin or custom".
std::string names_of_backends() {
  std::string names;
  for (const auto* backend : backends()) {
    const bool last = backend == backends().back();
    if (!names.empty()) names += last ? " or " : ", ";
    names += backend->name;
  }
  return names;
}

std::unexpected<Error> unknown_name(std::string_view name) {
  const auto known = known_backends();
  const auto meant = nearest(name, known);
  return fail(
      Code::usage,
      fmt::format("backend '{}' is unknown; known backends: {}", name, fmt::join(known, ", ")),
      meant.empty() ? "" : fmt::format("did you mean '{}'?", meant));
}

/// ralph itself is always there.
const Backend* first_installed(const Host& host) {
  for (const Candidate& candidate : candidates()) {
    if (candidate.backend != nullptr && find_program(candidate, host)) return candidate.backend;
  }
  return &kOwnAgent;
}

/// What `environment` becomes for the agent, as far as its own changes go.
std::vector<std::string> environment_of(const Host& host) {
  auto entries = host.environment;
  for (const auto& change : environment_changes(host)) {
    std::erase_if(entries, [&](const std::string& entry) {
      return entry.starts_with(change.name) && entry.substr(change.name.size()).starts_with('=');
    });
    if (change.value) entries.push_back(fmt::format("{}={}", change.name, *change.value));
  }
  return entries;
}

Error not_found(std::string_view program, std::string message) {
  for (const auto* backend : backends()) {
    if (backend->program == program && !backend->install_hint.empty()) {
      return {Code::not_found, std::move(message),
              fmt::format("install it with '{}'", backend->install_hint)};
    }
  }
  return {Code::not_found, std::move(message), "install it, or give its full path"};
}

}  // namespace

Result<fs::path> own_executable() {
  std::error_code error;
  auto path = fs::read_symlink("/proc/self/exe", error);
  if (error) return fail_errno(error.value(), "cannot determine ralph's executable");
  return path;
}

bool is_own_executable(const fs::path& program) {
  std::error_code error;
  return fs::equivalent(program, "/proc/self/exe", error);
}

std::vector<process::EnvChange> environment_changes(const Host& host) {
  auto changes = host.workspace_env;
  changes.insert(changes.end(), host.own_env.begin(), host.own_env.end());
  return changes;
}

std::optional<std::string> variable(const Host& host, std::string_view name) {
  for (const auto* const changes : {&host.own_env, &host.workspace_env}) {
    for (auto change = changes->rbegin(); change != changes->rend(); ++change) {
      if (change->name == name) return change->value;
    }
  }
  const auto inherited = process::variable(host.environment, name);
  return inherited ? std::optional<std::string>(*inherited) : std::nullopt;
}

Result<const Backend*> choose(std::string_view name, const Host& host) {
  if (name == "auto") return first_installed(host);
  if (const Backend* const backend = find_backend(name)) return backend;
  if (std::ranges::find(candidates(), name, &Candidate::name) == candidates().end()) {
    return unknown_name(name);
  }
  return fail(Code::usage,
              fmt::format("backend '{}' is not available yet; use {}", name, names_of_backends()));
}

Result<fs::path> find_program(std::string_view program, const Host& host) {
  const auto found = process::find_program(program, environment_of(host), host.workspace);
  if (!found && found.error().code == Code::not_found) {
    return std::unexpected(not_found(program, found.error().message));
  }
  if (!found) return std::unexpected(found.error());
  auto file = (host.workspace / *found).lexically_normal();
  std::error_code error;
  if (!fs::exists(file, error) || fs::is_directory(file, error)) {
    return std::unexpected(not_found(program, fmt::format("no program '{}'", file.string())));
  }
  if (::access(file.c_str(), X_OK) != 0) {
    return fail(Code::permission, fmt::format("'{}' is not executable", file.string()),
                fmt::format("chmod +x '{}'", file.string()));
  }
  return file;
}

Result<fs::path> find_program(const Candidate& candidate, const Host& host) {
  if (candidate.program == kOwnProgram) return own_executable();
  return find_program(candidate.program, host);
}

bool runs_own_agent(const Backend& backend, const Host& host) {
  if (backend.program.empty()) return false;
  if (backend.program == kOwnProgram) return true;
  const auto program = find_program(backend.program, host);
  return program && is_own_executable(*program);
}

const Backend& agent_behind(const Backend& chosen, const Host& host) {
  const auto own = std::ranges::find(candidates(), kOwnProgram, &Candidate::program);
  return own != candidates().end() && runs_own_agent(chosen, host) ? *own->backend : chosen;
}

std::vector<fs::path> state_paths(const Backend& backend, const Host& host) {
  const auto instead = variable(host, backend.state.variable).value_or("");
  if (!instead.empty()) return {(host.workspace / instead).lexically_normal()};
  const auto home = variable(host, "HOME").value_or("");
  if (home.empty()) return {};
  std::vector<fs::path> paths;
  for (const std::string_view path : backend.state.paths) {
    paths.push_back(fs::path(home) / path.substr(2));  // behind "~/"
  }
  return paths;
}

}  // namespace ralph::backend
