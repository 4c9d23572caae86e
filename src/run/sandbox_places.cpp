#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <pwd.h>
#include <unistd.h>

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

/// Private to the sandbox; homes; sockets through which a program reaches beyond it, which a read-only mount does not
/// close; and what root could read of the system's secrets.
constexpr auto kHidden = std::to_array<std::string_view>({
    "/tmp",
    "/var/tmp",
    "/run",
    "/var/run",
    "/home",
    "/root",
    "/var/lib/docker",
    "/var/lib/lxd",
    "/var/snap/lxd",
    "/var/lib/incus",
    "/var/lib/systemd/coredump",
    "/var/spool",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/krb5.keytab",
    "/etc/sudoers",
    "/etc/sudoers.d",
});

/// Of the hidden: files and packages of the system.
constexpr auto kShown = std::to_array<std::string_view>({
    "/etc/resolv.conf",
    "/run/current-system",
    "/run/booted-system",
    "/run/opengl-driver",
    "/home/linuxbrew/.linuxbrew",
    "/etc/ssh/ssh_config",
    "/etc/ssh/ssh_known_hosts",
});

constexpr auto kGitFiles = std::to_array<std::string_view>(
    {".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes"});

/// The home that the system knows; HOME may be another.
fs::path home_of_user() {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16384> buffer{};
  ::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found);
  std::error_code error;
  return found == nullptr ? fs::path{} : fs::canonical(found->pw_dir, error);
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(path, error));
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

/// What git would run programs by.
void protect_git_folder(Mounts& mounts, const fs::path& folder) {
  for (const auto* name : {"config", "config.worktree", "commondir", "gitdir", "worktrees"}) {
    mounts.protect(folder / name);
  }
  for (const auto* name : {"hooks", "info"}) {
    if (is_there(folder / name)) {
      mounts.protect(folder / name);
    } else {
      mounts.block_folder(folder / name);
    }
  }
}

/// The git folders of submodules, which lie in that of the repository.
void protect_modules(Mounts& mounts, const fs::path& modules) {
  if (!is_folder(modules)) return;
  std::error_code error;
  int count = 0;
  for (fs::recursive_directory_iterator at(modules, error), end; !error && at != end;
       at.increment(error)) {
    if (at.depth() > 4) at.disable_recursion_pending();
    if (!is_folder(at->path()) || !is_there(at->path() / "HEAD")) continue;
    protect_git_folder(mounts, at->path());
    at.disable_recursion_pending();
    if (++count == kMostModules) return;
  }
}

void protect_main_git_folder(Mounts& mounts, const fs::path& folder) {
  mounts.show(folder, Access::writable);
  protect_git_folder(mounts, folder);
  protect_modules(mounts, folder / "modules");
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

/// Every file git reads the user's settings from, and those they name.
std::vector<fs::path> named_by_git(const Host& host) {
  const auto git = trusted_program("git", host);
  if (!git) return {};
  process::Command command;
  command.argv = {git->string(),   "config", "--global", "--includes",
                  "--show-origin", "-z",     "--list"};
  command.cwd = host.workspace;
  command.env = {{"HOME", backend::variable(host, "HOME")}, {"GIT_DIR", std::nullopt}};
  const auto said = process::capture(command, {.wall = kLongestQuestion});
  if (!said || !said->ok()) return {};
  std::vector<fs::path> files;
  const std::string_view text = said->out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\0', at), text.size());
    const auto field = text.substr(at, end - at);
    at = end + 1;
    if (field.starts_with("file:")) files.emplace_back(field.substr(5));
    for (const std::string_view key : {"core.excludesfile\n", "core.attributesfile\n"}) {
      if (!field.starts_with(key)) continue;
      const auto value = field.substr(key.size());
      const auto home = fs::path(backend::variable(host, "HOME").value_or("/"));
      files.push_back(value.starts_with("~/") ? home / value.substr(2) : fs::path(value));
    }
  }
  std::ranges::sort(files);
  const auto same = std::ranges::unique(files);
  files.erase(same.begin(), same.end());
  return files;
}

}  // namespace

void hide_places(Mounts& mounts, const fs::path& home, const fs::path& workspace) {
  for (const auto place : kHidden) {
    if (!contains(workspace, place)) mounts.hide(place);
  }
  mounts.hide(home);
  const auto users = home_of_user();
  if (!users.empty() && users != "/" && !contains(workspace, users)) mounts.hide(users);
  for (const auto place : kShown) {
    std::error_code error;
    const auto real = fs::canonical(place, error);
    if (!error) mounts.show_hidden(real);
  }
}

void show_git_settings(Mounts& mounts, const Host& host, const fs::path& home) {
  for (const auto file : kGitFiles) mounts.show(home / file, Access::read_only);
  for (const auto& file : named_by_git(host)) {
    std::error_code error;
    if (file.is_absolute() && fs::is_regular_file(file, error)) {
      mounts.show(file, Access::read_only);
    }
  }
}

void show_workspace(Mounts& mounts, const Host& host) {
  const auto& workspace = host.workspace;
  mounts.show(workspace, Access::writable);
  if (is_folder(workspace / ".git")) protect_main_git_folder(mounts, workspace / ".git");
  if (!is_folder(workspace / ".git")) mounts.protect(workspace / ".git");
  for (const auto name : protected_files()) mounts.protect(workspace / name);
  mounts.protect(workspace / ".ralph");
  // ralph writes there from outside: it must not become a link.
  if (!host.log_dir.empty() && contains(workspace, host.log_dir)) mounts.protect(host.log_dir);
}

void show_repository(Mounts& mounts, const fs::path& folder) {
  for (auto root = folder; root != root.root_path(); root = root.parent_path()) {
    const auto git = root / ".git";
    if (!is_there(git)) continue;
    if (root != folder) mounts.show(root, Access::writable);
    if (is_folder(git)) {
      if (root != folder) protect_main_git_folder(mounts, git);
      return;
    }
    const auto own = folder_named_in(git, "gitdir: ");
    if (own.empty()) return;
    const auto common = folder_named_in(own / "commondir", "");
    if (!common.empty()) protect_main_git_folder(mounts, common);
    mounts.show(own, Access::writable);
    protect_git_folder(mounts, own);
    return;
  }
}

}  // namespace ralph::run
