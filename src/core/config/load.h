#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/layers.h"

namespace ralph::config {

struct LoadRequest {
  std::filesystem::path workspace = ".";
  std::filesystem::path config_file;     // --config; empty: RALPH_CONFIG, then the usual places
  std::vector<std::string> environment;  // "NAME=value"
  std::vector<FlagValue> flags;
  /// Where the project's file is looked for first; empty: workspace.
  std::filesystem::path from = {};
  /// And last: a folder above, as a real path; empty: only there.
  std::filesystem::path root = {};
};

/// A place where settings may be.
struct ConfigFile {
  /// foreign: another user's, not used. misnamed: `.yaml`, which is refused where it would be meant to count.
  enum class State { used, shadowed, missing, foreign, misnamed };
  std::filesystem::path path;
  State state = State::missing;
  bool asked_for = false;  // named by --config or RALPH_CONFIG: must exist

  bool operator==(const ConfigFile&) const = default;
};

/// The names of a project's settings files, relative to a folder, and those that are taken for them by mistake.
std::span<const std::string_view> settings_names();

/// Every file that is looked for, lowest level first: the user's, then the project's. Of ralph.yml and
/// .ralph/config.yml, in the folder and in those above it up to the root, the first that exists is used; --config is used
/// instead. A file above the folder must belong to the caller, the superuser or the folder's owner.
std::vector<ConfigFile> find_files(const LoadRequest& request);

/// The folder of the project's file that is used; empty: there is none, or --config names one.
std::filesystem::path project_folder(const std::vector<ConfigFile>& files);

/// All levels together: flag over environment over project file over user file over default.
Result<Loaded> load(const LoadRequest& request);

}  // namespace ralph::config
