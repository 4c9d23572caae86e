#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <pwd.h>
#include <unistd.h>

#include "core/base/path.h"
#include "harness/run/sandbox.h"
#include "harness/run/sandbox_places_impl.h"
#include "system/process/capture.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;
using backend::Host;
using Access = Mounts::Access;

constexpr Millis kLongestQuestion{10'000};

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
    if (!is_below(place, workspace)) mounts.hide(place);
  }
  mounts.hide(home);
  const auto users = home_of_user();
  if (!users.empty() && users != "/" && !is_below(users, workspace)) mounts.hide(users);
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

}  // namespace ralph::run
