#include "agent/tool/program_folders.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <system_error>

#include "core/base/path.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrograms[] = {"/usr",   "/bin",    "/sbin", "/lib",       "/lib32",
                                          "/lib64", "/libx32", "/opt",  "/nix/store", "/gnu/store"};

/// A working directory such as "/" contains the system programs; they stay usable.
bool is_of_system(const fs::path& folder, const fs::path& working_folder) {
  return std::ranges::any_of(kPrograms, [&](const fs::path& system) {
    return is_below(folder, system) && is_below(system, working_folder);
  });
}

bool is_in(const fs::path& folder, const fs::path& working_folder) {
  return is_below(folder, working_folder) && !is_of_system(folder, working_folder);
}

bool may_have_programs(const fs::path& folder, const fs::path& home, const Workspace& workspace) {
  if (folder == "/" || folder == "/home" || folder == "/root") return false;
  if (!home.empty() && is_below(home, folder)) return false;
  const auto& setup = workspace.setup();
  const auto meets = [&](const fs::path& working_folder) {
    return is_in(folder, working_folder) || is_below(working_folder, folder);
  };
  return !meets(setup.root) && std::ranges::none_of(setup.directories, meets);
}

struct Key {
  std::string path;
  fs::path home;
  fs::path root;
  std::vector<fs::path> directories;

  bool operator==(const Key&) const = default;
};

std::vector<fs::path> find_folders(const Key& key, const Workspace& workspace) {
  std::vector<fs::path> folders;
  std::error_code error;
  const auto home = fs::weakly_canonical(key.home, error);
  for (std::string_view rest = key.path; !rest.empty();) {
    const auto end = std::min(rest.find(':'), rest.size());
    const auto named = fs::path(rest.substr(0, end)).lexically_normal();
    rest.remove_prefix(std::min(rest.size(), end + 1));
    if (!named.is_absolute() || !may_have_programs(named, home, workspace)) continue;
    auto real = fs::weakly_canonical(named, error);
    if (error || !may_have_programs(real, home, workspace)) continue;
    if (std::ranges::find(folders, real) == folders.end()) folders.push_back(std::move(real));
  }
  return folders;
}

}  // namespace

std::string variable_of_commands(const Workspace& workspace, std::string_view name) {
  const auto& changes = workspace.setup().environment;
  const auto found = std::ranges::find(changes, name, &process::EnvChange::name);
  if (found != changes.end()) return found->value.value_or("");
  const char* const own = std::getenv(std::string(name).c_str());
  return own == nullptr ? std::string() : std::string(own);
}

const std::vector<fs::path>& system_folders() {
  static const auto paths = [] {
    std::vector<fs::path> found;
    for (const std::string_view name : kPrograms) {
      std::error_code error;
      auto real = fs::canonical(name, error);
      const auto covers = [&](const fs::path& other) { return is_below(real, other); };
      if (!error && std::ranges::none_of(found, covers)) found.push_back(std::move(real));
    }
    return found;
  }();
  return paths;
}

std::vector<fs::path> program_folders(const Workspace& workspace) {
  struct Found {
    std::mutex mutex;
    Key key;
    std::vector<fs::path> folders;
  };
  static Found last;
  const auto& setup = workspace.setup();
  Key key{variable_of_commands(workspace, "PATH"), variable_of_commands(workspace, "HOME"),
          setup.root, setup.directories};
  const std::lock_guard lock(last.mutex);
  if (last.key != key) {
    last.folders = find_folders(key, workspace);
    last.key = std::move(key);
  }
  return last.folders;
}

}  // namespace ralph::tool
