#pragma once
#include <filesystem>
#include <string>

#include "agent/environment.h"
#include "agent/options.h"
#include "base/result.h"

namespace ralph::agent {

/// What the settings files of Claude Code say, as far as we use it.
struct Settings {
  std::string model;
  std::string
      api_key_helper;  // from the user's own files only: a repository must not name programs
};

/// The user's settings.json, the folder's .claude/settings.json and settings.local.json, and --settings, the later ones
/// winning. A file that is missing or broken is passed over; only --settings must be good.
Result<Settings> read_settings(const Options& options, const Environment& environment,
                               const std::filesystem::path& cwd);

}  // namespace ralph::agent
