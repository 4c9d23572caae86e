#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/environment.h"
#include "agent/options.h"
#include "base/result.h"
#include "tool/permission.h"

namespace ralph::agent {

/// What the settings files of Claude Code say, as far as we use it.
struct Settings {
  std::string model;
  std::string
      api_key_helper;        // from the user's own files only: a repository must not name programs
  std::string default_mode;  // of permissions; never "bypassPermissions" from a repository
  bool auto_compact = true;  // autoCompactEnabled
  tool::Rules rules;
  std::vector<std::string> directories;                          // further working folders
  std::vector<std::pair<std::string, std::string>> environment;  // for the commands it runs
  std::vector<std::string> notes;                                // worth telling on stderr
};

/// The user's settings.json, the folder's .claude/settings.json and settings.local.json, and --settings, the later ones
/// winning, lists growing. A file that is missing is passed over, and one that is broken or a link out of the folder, with a note;
/// only --settings must be good. What a repository
/// allows counts only where the user trusts it.
Result<Settings> read_settings(const Options& options, const Environment& environment,
                               const std::filesystem::path& cwd);

/// Whether the user has said so: `ralph trust`, or the original's trust dialog.
bool is_trusted(const Environment& environment, const std::filesystem::path& folder);
Result<> set_trust(const Environment& environment, const std::filesystem::path& folder,
                   bool trusted);

}  // namespace ralph::agent
