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
#include <linux/magic.h>
#include <sys/vfs.h>
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

constexpr std::array<std::string_view, 10> kPrograms{"/usr",       "/bin",      "/sbin",   "/lib",
                                                     "/lib32",     "/lib64",    "/libx32", "/opt",
                                                     "/nix/store", "/gnu/store"};

/// What programs read at their start. Not all of /etc: as root every secret in it could be read.
constexpr std::string_view kSettings[] = {
    "/etc/gitattributes", "/etc/gitconfig",     "/etc/group",        "/etc/hostname",
    "/etc/hosts",         "/etc/ld.so.cache",   "/etc/locale.alias", "/etc/localtime",
    "/etc/magic",         "/etc/nsswitch.conf", "/etc/os-release",   "/etc/passwd",
    "/etc/terminfo",      "/etc/xattr.conf"};

/// Those that exist, by their real names, without what is below another. They do not change while we run.
template <typename List>
std::vector<fs::path> existing(const List& list) {
  std::vector<fs::path> found;
  for (const std::string_view name : list) {
    std::error_code error;
    auto real = fs::canonical(name, error);
    const auto covers = [&](const fs::path& other) { return is_below(real, other); };
    if (!error && std::ranges::none_of(found, covers)) found.push_back(std::move(real));
  }
  return found;
}
const std::vector<fs::path>& program_paths() {
  static const auto paths = existing(kPrograms);
  return paths;
}
const std::vector<fs::path>& settings_paths() {
  static const auto paths = existing(kSettings);
  return paths;
}

/// The value a command will see.
std::string variable(const Workspace& workspace, std::string_view name) {
  const auto& changes = workspace.setup().environment;
  const auto found = std::ranges::find(changes, name, &process::EnvChange::name);
  if (found != changes.end()) return found->value.value_or("");
  const char* const own = std::getenv(std::string(name).c_str());
  return own == nullptr ? std::string() : std::string(own);
}

/// The folders of PATH, without one that would open a home or the whole system.
std::vector<fs::path> program_folders(const Workspace& workspace) {
  std::vector<fs::path> folders;
  const fs::path home = variable(workspace, "HOME");
  const auto path = variable(workspace, "PATH");
  for (std::string_view rest = path; !rest.empty();) {
    const auto end = std::min(rest.find(':'), rest.size());
    const auto folder = fs::path(rest.substr(0, end)).lexically_normal();
    rest.remove_prefix(std::min(rest.size(), end + 1));
    const auto covers = [&](const fs::path& known) { return is_below(folder, known); };
    const bool known =
        std::ranges::any_of(kPrograms, covers) || std::ranges::any_of(folders, covers);
    const bool opens_home = !home.empty() && is_below(home, folder);
    const bool of_all = folder == "/" || folder == "/home" || folder == "/root";
    if (folder.is_absolute() && !known && !opens_home && !of_all) folders.push_back(folder);
  }
  return folders;
}

bool is_missing(const fs::path& folder) {
  std::error_code error;
  return !fs::is_directory(folder, error);
}

bool matters(const fs::path& path, const Confinement& confinement) {
  const auto touches = [&](const fs::path& allowed) {
    return is_below(path, allowed) || is_below(allowed, path);
  };
  return std::ranges::any_of(confinement.read, touches) ||
         std::ranges::any_of(confinement.execute, touches) ||
         std::ranges::any_of(confinement.write, touches);
}

/// In memory where possible: on a busy disk every folder made or removed waits for its journal.
fs::path scratch_base() {
  constexpr const char* kInMemory = "/dev/shm";
  struct statfs status{};
  if (::statfs(kInMemory, &status) == 0 && status.f_type == TMPFS_MAGIC &&
      ::access(kInMemory, W_OK | X_OK) == 0) {
    return kInMemory;
  }
  std::error_code error;
  const auto base = fs::canonical(fs::temp_directory_path(error), error);
  return error ? fs::path("/tmp") : base;
}

Confinement reading(const Workspace& workspace) {
  Confinement confinement;
  const auto& setup = workspace.setup();
  confinement.read = setup.directories;
  confinement.read.push_back(setup.root);
  const auto& settings = settings_paths();
  confinement.read.insert(confinement.read.end(), settings.begin(), settings.end());
  confinement.read.emplace_back("/proc");
  const auto git =
      git_paths(setup.root, variable(workspace, "HOME"), variable(workspace, "XDG_CONFIG_HOME"));
  confinement.read.insert(confinement.read.end(), git.begin(), git.end());
  confinement.execute = program_paths();
  const auto folders = program_folders(workspace);
  confinement.execute.insert(confinement.execute.end(), folders.begin(), folders.end());
  return confinement;
}

}  // namespace

Result<ScratchFolder> ScratchFolder::make() {
  auto text = (scratch_base() / "ralph-command-XXXXXX").string();
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
    std::erase_if(confinement.write, is_missing);
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
