#include "tool/bash_confinement.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include "base/path.h"
#include "tool/bash_environment.h"
#include "tool/deny_paths.h"
#include "tool/git_paths.h"
#include "tool/protected_paths.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;
using process::Confinement;

constexpr std::array<std::string_view, 10> kPrograms{"/usr",    "/bin",    "/sbin", "/lib",
                                                     "/lib32",  "/lib64",  "/libx32", "/opt",
                                                     "/nix/store", "/gnu/store"};

/// What programs read at their start. Not all of /etc: as root every secret in it could be read.
constexpr std::string_view kSettings[] = {
    "/etc/alternatives", "/etc/bash.bashrc", "/etc/ca-certificates", "/etc/crypto-policies",
    "/etc/debian_version", "/etc/fonts", "/etc/gai.conf", "/etc/gitattributes", "/etc/gitconfig",
    "/etc/gnutls", "/etc/group", "/etc/host.conf", "/etc/hostname", "/etc/hosts", "/etc/inputrc",
    "/etc/issue", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ld.so.preload",
    "/etc/locale.alias", "/etc/locale.conf", "/etc/localtime", "/etc/login.defs", "/etc/lsb-release",
    "/etc/machine-id", "/etc/magic", "/etc/mailcap", "/etc/manpath.config", "/etc/mime.types",
    "/etc/mtab", "/etc/nsswitch.conf", "/etc/os-release", "/etc/passwd", "/etc/perl",
    "/etc/pki/tls/certs", "/etc/profile", "/etc/protocols", "/etc/python3", "/etc/rpc",
    "/etc/services", "/etc/shells", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/terminfo",
    "/etc/timezone", "/etc/xattr.conf"};

/// The value a command will see.
std::string variable(const Workspace& workspace, std::string_view name) {
  const auto& changes = workspace.setup().environment;
  const auto found = std::ranges::find(changes, name, &process::EnvChange::name);
  if (found != changes.end()) return found->value.value_or("");
  const char* const own = std::getenv(std::string(name).c_str());
  return own == nullptr ? std::string() : std::string(own);
}

std::vector<fs::path> homes(const Workspace& workspace) {
  std::vector<fs::path> found{variable(workspace, "HOME")};
  passwd entry{};
  passwd* user = nullptr;
  std::array<char, 16384> buffer{};
  ::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &user);
  if (user != nullptr) found.emplace_back(user->pw_dir);
  return found;
}

/// The folders of PATH, without one that would open a home or the whole system.
std::vector<fs::path> program_folders(const Workspace& workspace) {
  std::vector<fs::path> folders;
  const auto owners = homes(workspace);
  const auto path = variable(workspace, "PATH");
  for (std::string_view rest = path; !rest.empty();) {
    const auto end = std::min(rest.find(':'), rest.size());
    const auto folder = fs::path(rest.substr(0, end)).lexically_normal();
    rest.remove_prefix(std::min(rest.size(), end + 1));
    const bool opens_home = std::ranges::any_of(
        owners, [&](const fs::path& home) { return !home.empty() && is_below(home, folder); });
    const bool system = std::ranges::any_of(
        kPrograms, [&](std::string_view known) { return is_below(folder, known); });
    if (folder.is_absolute() && folder != "/" && !opens_home && !system) folders.push_back(folder);
  }
  return folders;
}

bool matters(const fs::path& path, const Confinement& confinement) {
  const auto touches = [&](const fs::path& allowed) {
    return is_below(path, allowed) || is_below(allowed, path);
  };
  return std::ranges::any_of(confinement.read, touches) ||
         std::ranges::any_of(confinement.execute, touches) ||
         std::ranges::any_of(confinement.write, touches);
}

Confinement reading(const Workspace& workspace) {
  Confinement confinement;
  const auto& setup = workspace.setup();
  confinement.read = setup.directories;
  confinement.read.push_back(setup.root);
  for (const auto path : kSettings) confinement.read.emplace_back(path);
  confinement.read.emplace_back("/proc");
  const auto git = git_paths(setup.root, variable(workspace, "HOME"),
                             variable(workspace, "XDG_CONFIG_HOME"));
  confinement.read.insert(confinement.read.end(), git.begin(), git.end());
  for (const auto path : kPrograms) confinement.execute.emplace_back(path);
  const auto folders = program_folders(workspace);
  confinement.execute.insert(confinement.execute.end(), folders.begin(), folders.end());
  return confinement;
}

}  // namespace

Result<ScratchFolder> ScratchFolder::make() {
  std::error_code error;
  const auto base = fs::canonical(fs::temp_directory_path(error), error);
  auto name = (error ? fs::path("/tmp") : base) / "ralph-command-XXXXXX";
  std::string text = name.string();
  if (::mkdtemp(text.data()) == nullptr) {
    return fail_errno(errno, fmt::format("cannot make a temporary folder '{}'", text),
                      "set TMPDIR to a folder that can be written");
  }
  return ScratchFolder(text);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<std::optional<Confinement>> confinement_of(Grant grant, const Workspace& workspace,
                                                  const fs::path& scratch) {
  if (grant == Grant::user) return std::optional<Confinement>();
  if (grant == Grant::none) return fail(Code::internal, "a command was started without a grant");
  auto confinement = reading(workspace);
  if (grant == Grant::editing) {
    const auto& setup = workspace.setup();
    confinement.write = setup.directories;
    confinement.write.push_back(setup.root);
    std::erase_if(confinement.read, [&](const fs::path& path) { return workspace.contains(path); });
    TRY_ASSIGN(confinement.protect, protected_paths(workspace));
    confinement.network = Confinement::Network::all;
  }
  TRY_ASSIGN(auto denied, denied_paths(workspace));
  std::erase_if(denied, [&](const fs::path& path) { return !matters(path, confinement); });
  confinement.hidden = std::move(denied);
  confinement.scratch = scratch;
  confinement.environment = confined_environment(workspace);
  if (!scratch.empty()) {
    for (const auto* const name : {"TMPDIR", "TMP", "TEMP"}) {
      confinement.environment.push_back({name, scratch.string()});
    }
  }
  return std::optional(std::move(confinement));
}

}  // namespace ralph::tool
