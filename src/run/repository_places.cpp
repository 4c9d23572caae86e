// What a sandbox does with the repository of a workspace.
#include <algorithm>

#include <fmt/core.h>

#include "base/file.h"
#include "process/capture.h"
#include "run/protected_files.h"
#include "run/sandbox.h"
#include "run/sandbox_places_impl.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;
using backend::Host;
using Access = Mounts::Access;

constexpr Millis kLongestQuestion{10'000};
constexpr int kMostModules = 200;
constexpr int kDeepestModule = 16;

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(path, error));
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

/// Read-only. Where a link leads to another place in the workspace, that place is.
Result<> protect_name(Mounts& mounts, const fs::path& workspace, const fs::path& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return mounts.protect(path), Result<>();
  const auto real = fs::canonical(path, error);
  if (error) return {};
  if (contains(real, workspace)) {
    return fail(Code::usage,
                fmt::format("'{}' leads to '{}', which holds the workspace: a sandbox cannot "
                            "protect it",
                            path.string(), real.string()),
                "let it lead to a folder of its own, or run without --sandbox");
  }
  if (!contains(workspace, real)) return {};
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
    if (is_there(folder / name)) {
      TRY(protect_name(mounts, workspace, folder / name));
    } else {
      mounts.block_folder(folder / name);
    }
  }
  return {};
}

/// The git folders of submodules, which lie in that of the repository, and of theirs.
Result<> protect_modules(Mounts& mounts, const fs::path& workspace, const fs::path& modules,
                         int& count, int depth = 0) {
  if (!is_folder(modules)) return {};
  mounts.pin(modules);
  std::error_code error;
  for (fs::directory_iterator at(modules, error), end; !error && at != end; at.increment(error)) {
    if (!is_folder(at->path())) continue;
    if (++count > kMostModules || depth > kDeepestModule) {
      return fail(Code::usage,
                  fmt::format("'{}' has more folders than a sandbox can protect ({}, {} deep)",
                              modules.string(), kMostModules, kDeepestModule),
                  "look at what fills it, or run without --sandbox");
    }
    mounts.pin(at->path());
    const bool module = is_there(at->path() / "HEAD");
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

/// "gitdir: ../main/.git/worktrees/x" in the file `.git`, or "../.." in the file `commondir`.
fs::path folder_named_in(const fs::path& file, std::string_view prefix) {
  auto text = read_file(file, 8192);
  if (!text || !text->starts_with(prefix)) return {};
  text->erase(0, prefix.size());
  while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
  std::error_code error;
  auto folder = fs::canonical(file.parent_path() / *text, error);
  return error ? fs::path{} : folder;
}

/// An agent that made a file `.git` could name any folder.
bool is_git_folder(const fs::path& folder) {
  return is_there(folder / "HEAD") &&
         (is_there(folder / "objects") || is_there(folder / "commondir"));
}

/// Where `.git`, a folder, a link or a file, leads to; first the folder that it shares with other worktrees.
std::vector<fs::path> git_folders(const fs::path& git) {
  std::error_code error;
  std::vector<fs::path> folders;
  auto own =
      fs::is_directory(git, error) ? fs::canonical(git, error) : folder_named_in(git, "gitdir: ");
  if (own.empty() || (!is_folder(git) && !is_git_folder(own))) return folders;
  const auto common = is_folder(git) ? fs::path() : folder_named_in(own / "commondir", "");
  if (!common.empty() && is_git_folder(common)) folders.push_back(common);
  folders.push_back(std::move(own));
  return folders;
}

/// The root of the repository a folder lies in; empty: none.
fs::path root_of(const fs::path& folder) {
  for (auto root = folder; root != root.root_path(); root = root.parent_path()) {
    if (is_there(root / ".git")) return root;
  }
  return {};
}

/// A path of git's settings; empty: it does not lie in the workspace.
fs::path below(const fs::path& workspace, const fs::path& base, std::string_view value) {
  if (value.empty()) return {};
  const auto path = (base / value).lexically_normal();
  std::error_code error;
  const auto name = path.has_filename() ? path : path.parent_path();
  const auto real = fs::weakly_canonical(name.parent_path(), error) / name.filename();
  return contains(workspace, real) ? real.lexically_relative(workspace) : fs::path();
}

/// One setting as `git config --show-origin -z` tells it: "key\nvalue", from `file`.
fs::path named_by(std::string_view setting, const fs::path& file, const fs::path& root,
                  const fs::path& workspace, const fs::path& home) {
  const auto key = setting.substr(0, setting.find('\n'));
  auto value = std::string(setting.substr(std::min(key.size() + 1, setting.size())));
  if (value.starts_with("~/")) value = home / value.substr(2);
  if (key == "core.hookspath" || key == "core.attributesfile") return below(workspace, root, value);
  const bool include =
      key == "include.path" || (key.starts_with("includeif.") && key.ends_with(".path"));
  return include ? below(workspace, file.parent_path(), value) : fs::path();
}

}  // namespace

std::vector<fs::path> named_by_repository(const Host& host) {
  std::error_code error;
  const auto workspace = fs::canonical(host.workspace, error);
  const auto root = root_of(workspace);
  const auto git = trusted_program("git", host);
  std::vector<fs::path> paths;
  if (root.empty() || !git) return paths;
  const fs::path home = backend::variable(host, "HOME").value_or("/");
  for (const auto& folder : git_folders(root / ".git")) {
    process::Command command;
    command.argv = {git->string(), "config", "--file", (folder / "config").string(),
                    "--includes",  "-z",     "--list", "--show-origin"};
    command.cwd = "/";
    command.env = {{"GIT_DIR", std::nullopt}};
    const auto said = process::capture(command, {.wall = kLongestQuestion});
    if (!said || !said->ok()) continue;
    std::string_view text = said->out;
    const auto next = [&] {
      const auto field = text.substr(0, text.find('\0'));
      text.remove_prefix(std::min(field.size() + 1, text.size()));
      return field;
    };
    while (!text.empty()) {
      const auto origin = next();
      const fs::path file = origin.substr(std::min<std::size_t>(5, origin.size()));  // "file:"
      if (auto path = named_by(next(), file, root, workspace, home); !path.empty() && path != ".") {
        paths.push_back(std::move(path));
      }
    }
  }
  std::ranges::sort(paths);  // a folder before what is in it
  const auto same = std::ranges::unique(paths);
  paths.erase(same.begin(), same.end());
  return paths;
}

Result<> show_workspace(Mounts& mounts, const Host& host) {
  std::error_code error;
  const auto workspace = fs::canonical(host.workspace, error);
  if (error) return fail_errno(error.value(), "cannot use the workspace");
  mounts.show(host.workspace, Access::writable);
  for (const auto& folder : git_folders(workspace / ".git")) {
    if (contains(workspace, folder)) TRY(protect_repository(mounts, workspace, folder));
  }
  if (!is_folder(workspace / ".git")) mounts.protect(workspace / ".git");
  for (const auto name : protected_files()) {
    TRY(protect_name(mounts, workspace, workspace / name));
  }
  for (const auto& path : named_by_repository(host)) {
    mounts.pin_parents(workspace, workspace / path);
    TRY(protect_name(mounts, workspace, workspace / path));
  }
  mounts.protect(workspace / ".ralph");
  // ralph writes there from outside: it must not become a link.
  if (const auto logs = real_parent(host.log_dir); contains(workspace, logs)) {
    mounts.pin_parents(workspace, logs);
    mounts.protect(logs);
  }
  return {};
}

Result<> show_repository(Mounts& mounts, const fs::path& folder) {
  const auto root = root_of(folder);
  if (root.empty()) return {};
  if (root != folder && mounts.hides_part_of(root)) {
    return fail(Code::usage,
                fmt::format("the workspace belongs to the repository '{}', which holds what a "
                            "sandbox has to hide",
                            root.string()),
                "run 'git init' in the workspace, or run without --sandbox");
  }
  if (root != folder) mounts.show(root, Access::read_only);
  for (const auto& one : git_folders(root / ".git")) {
    if (!contains(folder, one)) TRY(protect_repository(mounts, root, one));
  }
  return {};
}

}  // namespace ralph::run
