#include <algorithm>
#include <array>

#include <fmt/core.h>

#include "core/base/file.h"
#include "core/base/path.h"
#include "harness/run/sandbox_places_impl.h"
#include "harness/run/state_filter_impl.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;
using Access = Mounts::Access;
using backend::Host;
using backend::SandboxLevel;
using backend::StateUse;

constexpr std::size_t kMostEntries = 2000;
constexpr std::size_t kLargestAgentFile = std::size_t{64} << 20;

std::optional<StateUse> use_of(const backend::AgentState& state, std::string_view name) {
  const auto entry = std::ranges::find(state.entries, name, &backend::StateEntry::name);
  if (entry != state.entries.end()) return entry->use;
  return name.starts_with(state.backup_prefix) ? std::optional(StateUse::dropped) : std::nullopt;
}

/// The directory of the sessions of all projects; empty: there is none.
std::string_view projects_folder(const backend::AgentState& state) {
  const auto entry = std::ranges::find(state.entries, StateUse::project, &backend::StateEntry::use);
  return entry == state.entries.end() ? std::string_view() : entry->name;
}

/// Puts the parts of one agent's files where they belong.
class StateMounts {
 public:
  StateMounts(Mounts& mounts, backend::Plan& plan, const Host& host, std::string_view run_id)
      : mounts_(mounts), plan_(plan), host_(host), run_id_(run_id) {}

  Result<> show_folder(const fs::path& folder) {
    std::error_code error;
    mounts_.show_empty(folder);
    std::size_t count = 0;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      if (++count > kMostEntries) {
        return fail(Code::usage,
                    fmt::format("the agent's directory '{}' has more than {} entries",
                                folder.native(), kMostEntries),
                    "remove files that are not needed");
      }
      TRY(show_entry(at->path()));
    }
    return {};
  }

  /// Sessions of the first run are kept as well.
  void show_missing_projects(const fs::path& folder) {
    const auto projects = projects_folder(plan_.backend->state);
    std::error_code error;
    if (!projects.empty() && !fs::exists(folder / projects, error)) {
      show_projects(folder / projects);
    }
  }

  Result<> show_entry(const fs::path& path) {
    const auto use = use_of(plan_.backend->state, path.filename().native());
    if (!use) {
      if (!strict()) mounts_.show(path, Access::read_only);
      return {};
    }
    switch (*use) {
      case StateUse::shown: mounts_.show(path, Access::read_only); break;
      case StateUse::dropped: break;
      case StateUse::project: show_projects(path); break;
      case StateUse::login:
        if (!strict() && plan_.backend->access.has_stored_login != nullptr)
          mounts_.show(path, Access::writable);
        break;
      case StateUse::key:
        if (!strict()) mounts_.show(path, Access::read_only);
        break;
      case StateUse::record: return show_copy(path, Access::writable);
      case StateUse::settings:
        if (strict()) return show_copy(path, Access::read_only);
        mounts_.show(path, Access::read_only);
        break;
    }
    return {};
  }

 private:
  bool strict() const { return host_.sandbox == SandboxLevel::strict; }

  /// The directory of the workspace's sessions has to exist outside to be kept; so has the one of its memory to be
  /// read-only, which every later session obeys.
  void show_projects(const fs::path& projects) {
    std::error_code error;
    const auto& state = plan_.backend->state;
    const auto key = state.project_name(fs::weakly_canonical(host_.workspace, error));
    mounts_.show_empty(projects);
    if (!fs::exists(projects, error)) plan_.kept_folders.push_back(projects);
    plan_.kept_folders.push_back(projects / key);
    const auto memory = projects / key / state.memory_folder;
    plan_.kept_folders.push_back(memory);
    mounts_.show_as(projects / key, projects / key, Access::writable);
    mounts_.show_as(memory, memory, Access::read_only);
  }

  Result<> show_copy(const fs::path& path, Access access) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return {};
    auto text = read_file(path, kLargestAgentFile);
    if (!text) return fail(Code::usage, text.error().message, text.error().hint);
    const auto name = fmt::format("agent-{}-{}", run_id_, plan_.private_files.size());
    const auto copy = host_.root() / ".ralph" / "tmp" / name;
    plan_.private_files.push_back(
        {copy, strict() ? without_secrets(*text, plan_.backend->state) : *std::move(text)});
    mounts_.show_as(copy, path.lexically_normal(), access);
    return {};
  }

  Mounts& mounts_;
  backend::Plan& plan_;
  const Host& host_;
  std::string_view run_id_;
};

/// An agent that keeps its files in the home itself would open all of it; one that keeps them around the workspace
/// would hide that.
Result<> check_state(const fs::path& state, const fs::path& home, const fs::path& workspace) {
  std::error_code error;
  const auto real = fs::weakly_canonical(state, error);
  if (error) return {};
  if (is_below(home, real)) {
    return fail(Code::usage,
                fmt::format("the agent keeps its files in '{}', which holds the home: a sandbox "
                            "could not hide it",
                            state.string()),
                "give the agent its own directory, or run without --sandbox");
  }
  if (!is_below(fs::weakly_canonical(workspace, error), real)) return {};
  return fail(
      Code::usage,
      fmt::format("the workspace lies in '{}', where the agent keeps its files", state.string()),
      "work in another directory, or run without --sandbox");
}

}  // namespace

Result<> show_agent_state(Mounts& mounts, backend::Plan& plan, const Host& host,
                          const fs::path& home, std::string_view run_id) {
  if (plan.backend == nullptr) return {};
  std::error_code error;
  const auto paths = backend::state_paths(*plan.backend, host);
  StateMounts state(mounts, plan, host, run_id);
  for (const auto& path : paths) {
    TRY(check_state(path, home, host.workspace));
    if (fs::is_directory(path, error)) {
      TRY(state.show_folder(path));
      if (&path == &paths.front()) state.show_missing_projects(path);
    } else if (fs::exists(path, error)) {
      TRY(state.show_entry(path));
    }
  }
  if (!paths.empty() && !fs::exists(paths.front(), error)) {
    plan.notes.push_back(
        fmt::format("'{0}' does not exist: what the agent keeps, sessions too, goes with the "
                    "sandbox (mkdir -p '{0}/{1}' keeps it)",
                    paths.front().string(), projects_folder(plan.backend->state)));
  }
  return {};
}

}  // namespace ralph::run
