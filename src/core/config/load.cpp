#include "core/config/load.h"

#include <algorithm>
#include <array>
#include <system_error>

#include <fmt/core.h>

#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/base/owner.h"
#include "core/base/path.h"
#include "core/base/placeholder.h"

namespace ralph::config {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kProjectFiles{"ralph.yml", ".ralph/config.yml"};
constexpr std::array<std::string_view, 4> kSettingsNames{"ralph.yml", ".ralph/config.yml",
                                                         "ralph.yaml", ".ralph/config.yaml"};
constexpr int kMostFolders = 100;

std::string variable(const LoadRequest& request, std::string_view name) {
  const auto start = std::string(name) + "=";
  for (const auto& entry : request.environment) {
    if (entry.starts_with(start)) return entry.substr(start.size());
  }
  return {};
}

/// A dangling link is present, so that an error names it; a placeholder of the sandbox is not.
bool is_present(const fs::path& path) { return path_exists(path) && !is_placeholder(path.c_str()); }

/// Agents write into `.ralph`: links there are not followed. Elsewhere a settings file may be a link.
Result<std::string> read_settings(const ConfigFile& file) {
  const auto folder = file.path.parent_path();
  if (file.asked_for || folder.filename() != ".ralph") return read_file(file.path, kMaxBytes);
  TRY_ASSIGN(const auto opened, Folder::open(folder));
  return opened.read(file.path.filename().native(), kMaxBytes);
}

/// Empty without HOME.
fs::path user_file(const LoadRequest& request) {
  const fs::path config_home = variable(request, "XDG_CONFIG_HOME");
  if (config_home.is_absolute()) return config_home / "ralph/config.yml";
  const fs::path home = variable(request, "HOME");
  return home.is_absolute() ? home / ".config/ralph/config.yml" : fs::path();
}

/// The directory, then "..", "../..", up to the root.
std::vector<fs::path> folders_of(const LoadRequest& request) {
  std::error_code error;
  std::vector<fs::path> folders{request.from.empty() ? request.workspace : request.from};
  auto real = fs::canonical(folders.front(), error);
  const auto below = real.lexically_relative(request.root);
  const bool has_root = !error && !request.root.empty() && !below.empty() && *below.begin() != "..";
  for (int i = 0; has_root && real != request.root && i < kMostFolders; ++i) {
    real = real.parent_path();
    folders.push_back(folders.back() / "..");
  }
  return folders;
}

/// `file` is a name with `.yml`.
void add_misnamed(fs::path file, std::vector<ConfigFile>& files) {
  file.replace_extension(".yaml");
  if (is_present(file)) files.push_back({file, ConfigFile::State::misnamed});
}

void add_project_files(const LoadRequest& request, std::vector<ConfigFile>& files) {
  using State = ConfigFile::State;
  auto asked = request.config_file;
  if (asked.empty()) asked = variable(request, "RALPH_CONFIG");
  if (!asked.empty()) {
    files.push_back({asked, is_present(asked) ? State::used : State::missing, true});
    return;
  }
  bool found = false;
  const auto folders = folders_of(request);
  const TrustedOwners owners(folders.front());
  for (const auto& folder : folders) {
    for (const auto name : kProjectFiles) {
      if (!found) add_misnamed((folder / name).lexically_normal(), files);
    }
    for (const auto name : kProjectFiles) {
      const auto path = (folder / name).lexically_normal();
      const bool foreign = &folder != &folders.front() && !owners.own(path);
      const auto state = !is_present(path) ? State::missing
                         : found           ? State::shadowed
                         : foreign         ? State::foreign
                                           : State::used;
      found = found || state == State::used;
      files.push_back({path, state});
    }
  }
}

bool is_projects(const ConfigFile& file) {
  return file.state == ConfigFile::State::used && !file.asked_for &&
         (file.path.filename() == "ralph.yml" || file.path.parent_path().filename() == ".ralph");
}

/// Reports a second file in the same directory. One further up is overridden on purpose.
void note_shadowed(const std::vector<ConfigFile>& files, Layers& layers) {
  const auto used = std::ranges::find_if(files, is_projects);
  const auto beside = used == files.end() ? used : std::next(used);
  if (beside == files.end() || beside->state != ConfigFile::State::shadowed) return;
  if (beside->path.parent_path().parent_path() != used->path.parent_path()) return;
  layers.add_note(fmt::format("{} is used, {} is ignored: only one of them is read",
                              used->path.native(), beside->path.native()));
}

void add(const ConfigFile& file, Layers& layers) {
  if (const auto text = read_settings(file)) {
    layers.add_file(*text, file.path);
  } else {
    layers.add_mistake(describe(text.error()));
  }
}

}  // namespace

std::span<const std::string_view> settings_names() { return kSettingsNames; }

std::vector<ConfigFile> find_files(const LoadRequest& request) {
  std::vector<ConfigFile> files;
  if (const auto path = user_file(request); !path.empty()) {
    add_misnamed(path, files);
    files.push_back(
        {path, is_present(path) ? ConfigFile::State::used : ConfigFile::State::missing});
  }
  add_project_files(request, files);
  return files;
}

fs::path project_folder(const std::vector<ConfigFile>& files) {
  const auto used = std::ranges::find_if(files, is_projects);
  if (used == files.end()) return {};
  auto folder = used->path.parent_path();
  if (used->path.filename() != "ralph.yml") folder = folder.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

Result<Loaded> load(const LoadRequest& request) {
  const auto files = find_files(request);
  Layers layers(request.workspace, variable(request, "HOME"));
  layers.allow_backends(request.backends);
  for (const auto& file : files) {
    if (file.state == ConfigFile::State::used) add(file, layers);
    if (file.state == ConfigFile::State::missing && file.asked_for) {
      layers.add_mistake(fmt::format("config file '{}' does not exist", file.path.native()));
    }
    if (file.state == ConfigFile::State::misnamed) {
      layers.add_mistake(fmt::format("'{}' has the wrong name: review it, then rename it to '{}'",
                                     file.path.native(),
                                     fs::path(file.path).replace_extension(".yml").native()));
    }
    if (file.state == ConfigFile::State::foreign) {
      layers.add_note(fmt::format(
          "{0} belongs to another user and is ignored (--config {0} uses it)", file.path.native()));
    }
  }
  note_shadowed(files, layers);
  layers.add_environment(request.environment);
  layers.add_flags(request.flags);
  return std::move(layers).finish();
}

}  // namespace ralph::config
