#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/mcp/server_config.h"
#include "agent/permission/decide.h"
#include "agent/settings/environment.h"
#include "agent/settings/options.h"
#include "core/base/result.h"

namespace ralph::settings {

/// The hooks of one file, not checked.
struct HookSource {
  std::string file;
  std::string hooks;     // JSON
  bool managed = false;  // by the administrator
};

/// One of the files, or --settings.
struct SettingsSource {
  std::string name;             // as Claude Code has it: "userSettings"
  std::string settings;         // JSON, an object
  bool restricts_only = false;  // of a repository that is not trusted
};

/// The settings of Claude Code that ralph's agent uses, merged from all files.
struct Settings {
  std::string model;
  std::string api_key_helper;  // only from user settings: a repository must not name programs
  // Of permissions. "bypassPermissions" from a repository: only by dangerouslySkipPermissions, and only where it is trusted.
  std::string default_mode;
  std::string mode_source;   // what set default_mode, and its file
  bool auto_compact = true;  // autoCompactEnabled
  permission::Rules rules;
  std::vector<std::string> directories;                          // more working directories
  std::vector<std::pair<std::string, std::string>> environment;  // for the commands of the agent
  std::vector<HookSource> hooks;                                 // that are in effect
  bool hooks_off = false;                         // disableAllHooks; the administrator's hooks stay
  bool only_managed_hooks = false;                // allowManagedHooksOnly, of the administrator
  bool bypass_forbidden = false;                  // permissions.disableBypassPermissionsMode
  std::string sandbox;                            // the file that enables Claude Code's sandbox
  std::vector<mcp::ServerConfig> mcp_servers;     // those that are used, the most specific first
  std::vector<std::string> disabled_mcp_servers;  // of .mcp.json
  std::vector<std::string> enabled_mcp_servers;   // of .mcp.json; empty: all
  bool all_mcp_servers = false;                   // enableAllProjectMcpServers
  std::vector<std::string> notes;                 // for stderr
  std::vector<SettingsSource> sources;            // in the order they were merged
  bool not_trusted =
      false;  // settings of the repository have no effect, because the user does not trust it
};

/// Merges the user's settings.json, .claude/settings.json and settings.local.json of the directory, --settings, and the
/// managed settings of the machine; later files win, lists are concatenated. Missing files are skipped. A broken file, or a
/// link out of the directory, is an error: it may contain deny rules. So is a broken configuration of MCP servers. In a repository that the user does not trust only
/// restrictions are used; a note per file names the rest.
Result<Settings> read_settings(const Options& options, const Environment& environment,
                               const std::filesystem::path& cwd);

/// Whether --accept-unsupported names the feature.
bool accepts(const Options& options, std::string_view feature);
/// Configured sandboxes are an error, because they are not supported, unless --accept-unsupported
/// names them. Returns notes for stderr about those.
Result<std::vector<std::string>> check_supported(const Settings& settings, const Options& options);

/// Whether the user trusts the directory: by `ralph trust` or by Claude Code's trust dialog.
bool is_trusted(const Environment& environment, const std::filesystem::path& folder);
Result<> set_trust(const Environment& environment, const std::filesystem::path& folder,
                   bool trusted);

}  // namespace ralph::settings
