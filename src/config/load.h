#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/layers.h"

namespace ralph::config {

struct LoadRequest {
  std::filesystem::path workspace = ".";
  std::filesystem::path config_file;     // --config; empty: RALPH_CONFIG, then the usual places
  std::vector<std::string> environment;  // "NAME=value"
  std::vector<FlagValue> flags;
};

/// A place where settings may be.
struct ConfigFile {
  enum class State { used, shadowed, missing };
  std::filesystem::path path;
  State state = State::missing;
  bool asked_for = false;  // named by --config or RALPH_CONFIG: must exist

  bool operator==(const ConfigFile&) const = default;
};

/// Every file that is looked for, lowest level first: the user's, then the project's. Of ralph.yml and
/// .ralph/config.yml the first that exists is used; --config is used instead of both.
std::vector<ConfigFile> find_files(const LoadRequest& request);

/// All levels together: flag over environment over project file over user file over default.
Result<Loaded> load(const LoadRequest& request);

}  // namespace ralph::config
