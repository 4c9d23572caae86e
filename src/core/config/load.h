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
  /// The directory in which the search for the project's file starts; empty: workspace.
  std::filesystem::path from = {};
  /// The parent directory at which it ends, as a canonical path; empty: search only `from`.
  std::filesystem::path root = {};
  std::vector<std::string> backends = {};  // that may be named; empty: any
};

/// A possible settings file.
struct ConfigFile {
  /// foreign: belongs to another user, ignored. misnamed: `.yaml` instead of `.yml`, an error.
  enum class State { used, shadowed, missing, foreign, misnamed };
  std::filesystem::path path;
  State state = State::missing;
  bool asked_for = false;  // named by --config or RALPH_CONFIG: must exist

  bool operator==(const ConfigFile&) const = default;
};

/// The names of a project's settings files relative to a directory, and common misspellings of them.
std::span<const std::string_view> settings_names();

/// All candidates, lowest level first: the user's file, then the project's. Of ralph.yml and .ralph/config.yml in the
/// directory and its parents up to the root, the first that exists is used; --config replaces them. A file in a parent
/// directory must belong to the caller, the superuser or the directory's owner.
std::vector<ConfigFile> find_files(const LoadRequest& request);

/// The directory of the project's file in use; empty: there is none, or --config names one.
std::filesystem::path project_folder(const std::vector<ConfigFile>& files);

/// All levels together: flag over environment over project file over user file over default.
Result<Loaded> load(const LoadRequest& request);

}  // namespace ralph::config
