#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/permission/decide.h"
#include "agent/settings/environment.h"
#include "agent/settings/options.h"
#include "core/base/result.h"

namespace ralph::settings {

/// What the settings files of Claude Code say, as far as we use it.
struct Settings {
  std::string model;
  std::string
      api_key_helper;  // from the user's own files only: a repository must not name programs
  // Of permissions. "bypassPermissions" from a repository: only by dangerouslySkipPermissions, and only where it is trusted.
  std::string default_mode;
  std::string mode_source;   // what set default_mode, and its file
  bool auto_compact = true;  // autoCompactEnabled
  permission::Rules rules;
  std::vector<std::string> directories;                          // further working folders
  std::vector<std::pair<std::string, std::string>> environment;  // for the commands it runs
  std::vector<std::string> hooks;                                // the files whose hooks should run
  bool hooks_off = false;                                        // disableAllHooks
  bool bypass_forbidden = false;         // permissions.disableBypassPermissionsMode
  std::string sandbox;                   // the file that switches Claude Code's own sandbox on
  std::vector<std::string> mcp_servers;  // those that should be used, each with where it is named
  std::vector<std::string> disabled_mcp_servers;  // of .mcp.json
  std::vector<std::string> notes;                 // worth telling on stderr
};

/// The user's settings.json, the folder's .claude/settings.json and settings.local.json, --settings, and the managed settings
/// of the machine, the later ones winning, lists growing. A file that is missing is passed over; one that is broken, or a link
/// out of the folder, is an error: it may deny something. Of a repository the user does not trust only what restricts counts;
/// what else it sets is named in one note per file.
Result<Settings> read_settings(const Options& options, const Environment& environment,
                               const std::filesystem::path& cwd);

/// Whether --accept-unsupported names the feature.
bool accepts(const Options& options, std::string_view feature);
/// Hooks, MCP servers and a sandbox that should work and cannot are an error, unless --accept-unsupported names them; then
/// notes for stderr say what does not work.
Result<std::vector<std::string>> check_supported(const Settings& settings, const Options& options);

/// Whether the user has said so: `ralph trust`, or the original's trust dialog.
bool is_trusted(const Environment& environment, const std::filesystem::path& folder);
Result<> set_trust(const Environment& environment, const std::filesystem::path& folder,
                   bool trusted);

}  // namespace ralph::settings
