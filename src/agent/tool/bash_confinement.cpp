#include "agent/tool/bash_confinement.h"

#include <algorithm>
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

#include "agent/tool/bash_environment.h"
#include "agent/tool/denied_paths.h"
#include "agent/tool/git_paths.h"
#include "agent/tool/program_folders.h"
#include "agent/tool/protected_paths.h"
#include "core/base/path.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;
using process::Confinement;

constexpr std::string_view kUsualPath = "/usr/local/bin:/usr/bin:/bin";

/// Files that programs read at startup. Not all of /etc: as root every secret in it could be read.
constexpr std::string_view kSettings[] = {
    "/etc/gitattributes", "/etc/gitconfig",     "/etc/group",        "/etc/hostname",
    "/etc/hosts",         "/etc/ld.so.cache",   "/etc/locale.alias", "/etc/localtime",
    "/etc/magic",         "/etc/nsswitch.conf", "/etc/os-release",   "/etc/passwd",
    "/etc/terminfo",      "/etc/xattr.conf"};

/// The existing ones outside the program directories, resolved; computed once.
const std::vector<fs::path>& settings_paths() {
  static const auto paths = [] {
    std::vector<fs::path> found;
    for (const std::string_view name : kSettings) {
      std::error_code error;
      auto real = fs::canonical(name, error);
      const auto covers = [&](const fs::path& folder) { return is_below(real, folder); };
      if (!error && std::ranges::none_of(system_folders(), covers))
        found.push_back(std::move(real));
    }
    return found;
  }();
  return paths;
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

bool is_memory(const char* folder) {
  struct statfs status{};
  return ::statfs(folder, &status) == 0 && status.f_type == TMPFS_MAGIC &&
         ::access(folder, W_OK | X_OK) == 0;
}

/// In memory if possible: on a busy disk creating and removing directories waits for the journal.
fs::path scratch_base() {
  constexpr const char* kInMemory = "/dev/shm";
  static const bool in_memory = is_memory(kInMemory);
  if (in_memory) return kInMemory;
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
  const auto git = git_paths(workspace, variable_of_commands(workspace, "HOME"),
                             variable_of_commands(workspace, "XDG_CONFIG_HOME"));
  confinement.read.insert(confinement.read.end(), git.begin(), git.end());
  confinement.execute = system_folders();
  std::string path;
  for (const auto& folder : program_folders(workspace)) {
    path += (path.empty() ? "" : ":") + folder.string();
    const auto covers = [&](const fs::path& known) { return is_below(folder, known); };
    if (std::ranges::none_of(confinement.execute, covers)) confinement.execute.push_back(folder);
  }
  confinement.environment = confined_environment(workspace);
  confinement.environment.push_back({"PATH", path.empty() ? std::string(kUsualPath) : path});
  return confinement;
}

}  // namespace

Result<ScratchFolder> ScratchFolder::make() {
  auto text = (scratch_base() / "ralph-command-XXXXXX").string();
  if (::mkdtemp(text.data()) == nullptr) {
    return fail_errno(errno, fmt::format("cannot create temporary directory '{}'", text),
                      "set TMPDIR to a writable directory");
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
  if (!scratch.empty()) {
    for (const auto* const name : {"TMPDIR", "TMP", "TEMP"}) {
      confinement.environment.push_back({name, scratch.string()});
    }
  }
  return std::optional(std::move(confinement));
}

}  // namespace ralph::tool
