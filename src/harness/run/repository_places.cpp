// What a sandbox does with the repository of a workspace.
#include <fmt/core.h>

#include "core/base/path.h"
#include "harness/run/protected_files.h"
#include "harness/run/sandbox.h"
#include "harness/run/sandbox_places_impl.h"
#include "system/git/named_paths.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;
using backend::Host;
using Access = Mounts::Access;

constexpr int kMostModules = 200;
constexpr int kDeepestModule = 16;

/// Read-only. Where a link leads to another place in the workspace, that place is.
Result<> protect_name(Mounts& mounts, const fs::path& workspace, const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return mounts.protect(path), Result<>();
  const auto real = fs::canonical(path, error);
  if (error) return {};
  if (is_below(workspace, real)) {
    return fail(Code::usage,
                fmt::format("'{}' leads to '{}', which holds the workspace: a sandbox cannot "
                            "protect it",
                            path.string(), real.string()),
                "let it point to another directory, or run without --sandbox");
  }
  if (!is_below(real, workspace)) return {};
  mounts.pin_parents(workspace, real);
  mounts.protect(real);
  return {};
}

/// What git would run programs by.
Result<> protect_git_folder(Mounts& mounts, const fs::path& workspace, const fs::path& folder) {
  for (const auto* name : {"config", "config.worktree", "commondir", "gitdir", "worktrees"}) {
    TRY(protect_name(mounts, workspace, folder / name));
  }
  for (const auto* name : {"hooks", "info"}) {
    if (path_exists(folder / name)) {
      TRY(protect_name(mounts, workspace, folder / name));
    } else {
      mounts.block_folder(folder / name);
    }
  }
  return {};
}

/// The git directories of submodules, which lie in that of the repository, and of theirs.
Result<> protect_modules(Mounts& mounts, const fs::path& workspace, const fs::path& modules,
                         int& count, int depth = 0) {
  if (!is_real_directory(modules)) return {};
  mounts.pin(modules);
  std::error_code error;
  for (fs::directory_iterator at(modules, error), end; !error && at != end; at.increment(error)) {
    if (!is_real_directory(at->path())) continue;
    if (++count > kMostModules || depth > kDeepestModule) {
      return fail(Code::usage,
                  fmt::format("'{}' has more directories than a sandbox can protect ({}, {} deep)",
                              modules.string(), kMostModules, kDeepestModule),
                  "remove files that are not needed, or run without --sandbox");
    }
    mounts.pin(at->path());
    const bool module = path_exists(at->path() / "HEAD");
    if (module) TRY(protect_git_folder(mounts, workspace, at->path()));
    TRY(protect_modules(mounts, workspace, module ? at->path() / "modules" : at->path(), count,
                        depth + 1));
  }
  return {};
}

Result<> protect_repository(Mounts& mounts, const fs::path& workspace, const fs::path& folder) {
  int count = 0;
  mounts.pin_parents(workspace, folder);
  mounts.show(folder, Access::writable);
  TRY(protect_git_folder(mounts, workspace, folder));
  return protect_modules(mounts, workspace, folder / "modules", count);
}

}  // namespace

std::vector<fs::path> named_by_repository(const Host& host) {
  std::error_code error;
  const auto workspace = fs::canonical(host.workspace, error);
  const auto program = trusted_program("git", host);
  if (error || !program) return {};
  std::vector<process::EnvChange> env;
  for (const auto* const name : {"HOME", "XDG_CONFIG_HOME"}) {
    env.push_back({name, backend::variable(host, name)});
  }
  const fs::path home = backend::variable(host, "HOME").value_or("/");
  return git::named_paths(program->string(), workspace, home, env);
}

Result<> show_workspace(Mounts& mounts, const Host& host) {
  std::error_code error;
  const auto workspace = fs::canonical(host.workspace, error);
  if (error) return fail_errno(error.value(), "cannot use the workspace");
  mounts.show(host.workspace, Access::writable);
  for (const auto& folder : git::git_folders(workspace / ".git")) {
    if (is_below(folder, workspace)) TRY(protect_repository(mounts, workspace, folder));
  }
  if (!is_real_directory(workspace / ".git")) mounts.protect(workspace / ".git");
  for (const auto name : protected_files()) {
    TRY(protect_name(mounts, workspace, workspace / name));
  }
  for (const auto& path : named_by_repository(host)) {
    mounts.pin_parents(workspace, workspace / path);
    TRY(protect_name(mounts, workspace, workspace / path));
  }
  for (const auto& path : host.read_only) {
    if (!is_below(path, workspace)) continue;
    mounts.pin_parents(workspace, path);
    mounts.protect(path);
  }
  mounts.protect(workspace / ".ralph");
  if (host.root() != host.workspace) mounts.show(host.root() / ".ralph", Access::read_only);
  // ralph writes there from outside: it must not become a link.
  if (const auto logs = real_parent(host.log_dir); is_below(logs, workspace)) {
    mounts.pin_parents(workspace, logs);
    mounts.protect(logs);
  }
  return {};
}

Result<> show_repository(Mounts& mounts, const fs::path& folder) {
  const auto root = git::root_of(folder);
  if (root.empty()) return {};
  if (root != folder && mounts.hides_part_of(root)) {
    return fail(Code::usage,
                fmt::format("the workspace belongs to the repository '{}', which holds what a "
                            "sandbox has to hide",
                            root.string()),
                "run 'git init' in the workspace, or run without --sandbox");
  }
  if (root != folder) mounts.show(root, Access::read_only);
  for (const auto& one : git::git_folders(root / ".git")) {
    if (!is_below(one, folder)) TRY(protect_repository(mounts, root, one));
  }
  return {};
}

}  // namespace ralph::run
