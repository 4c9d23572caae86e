#include "agent/settings/settings.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "agent/permission/rule.h"
#include "agent/settings/settings_impl.h"
#include "agent/settings/source_file.h"
#include "core/base/file.h"
#include "core/base/placeholder.h"
#include "core/base/settings_error.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/json/document.h"
#include "core/json/field.h"

namespace ralph::settings {
namespace {

namespace fs = std::filesystem;
using json::Document;

/// Set by the administrator: always read, and last.
constexpr std::string_view kManagedSettings = "/etc/claude-code/managed-settings.json";

/// Not a setting of Claude Code; repositories written for other tools have it.
constexpr const char* kSkipPermissions = "dangerouslySkipPermissions";

/// Settings outside of `permissions` that name programs or servers to run, set variables, or disable what the user's
/// settings enable.
constexpr std::array kEscalatingKeys{kSkipPermissions,
                                     "env",
                                     "hooks",
                                     "disableAllHooks",
                                     "sandbox",
                                     "apiKeyHelper",
                                     "awsAuthRefresh",
                                     "awsCredentialExport",
                                     "gcpAuthRefresh",
                                     "otelHeadersHelper",
                                     "statusLine",
                                     "enableAllProjectMcpServers",
                                     "enabledMcpjsonServers",
                                     "disabledMcpjsonServers",
                                     "enabledPlugins"};

/// Where settings come from. `shared`: the repository, written by others; `local`: the user, for this repository.
enum class Origin { user, shared, local, flag, managed };

constexpr Words<Origin, 5> kSourceNames{
    {"userSettings", "projectSettings", "localSettings", "flagSettings", "policySettings"}};

void append(std::vector<std::string>& to, std::vector<std::string> more) {
  std::ranges::move(more, std::back_inserter(to));
}

/// False for empty lists of hooks.
bool has_hooks(const Document& hooks) {
  if (!hooks.is_object()) return !hooks.empty();
  return std::ranges::any_of(hooks, [](const Document& event) { return !event.empty(); });
}

/// The names of settings that would let a session do more than its user allowed, on one line.
class Escalations {
 public:
  explicit Escalations(const Document& settings) {
    for (const auto* const key : kEscalatingKeys) note(json::member(settings, key), key);
    const auto& permissions = json::member(settings, "permissions");
    for (const auto* const key : {"allow", "additionalDirectories", "defaultMode"}) {
      note(json::member(permissions, key), fmt::format("permissions.{}", key));
    }
  }
  const std::string& names() const { return names_; }

 private:
  void note(const Document& value, const std::string& name) {
    if (value.empty() || value == false) return;  // null too
    if (!names_.empty()) names_ += ", ";
    names_ += name;
    if (value.is_array()) names_ += fmt::format(" ({})", value.size());
  }

  std::string names_;
};

/// Merges the settings of several files; a later file wins.
class SettingsMerger {
 public:
  SettingsMerger(Settings& settings, bool trusted) : settings_(settings), trusted_(trusted) {}

  void add(const Document& more, Origin origin, const std::string& name) {
    if (!more.is_object()) return refuse(name, "it is not a JSON object");
    if (auto model = json::text(more, "model"); !model.empty()) settings_.model = std::move(model);
    if (const auto& compact = json::member(more, "autoCompactEnabled"); compact.is_boolean()) {
      settings_.auto_compact = compact.get<bool>();
    }
    add_restrictions(json::member(more, "permissions"), name);
    const bool own = origin != Origin::shared && origin != Origin::local;
    settings_.sources.push_back(
        {std::string(kSourceNames.of(origin)), json::write(more), !own && !trusted_});
    if (own || trusted_) {
      add_hooks(more, origin == Origin::managed, name);
      return add_freedoms(more, own, name);
    }
    if (const auto escalations = Escalations(more); !escalations.names().empty()) {
      settings_.notes.push_back(untrusted_note(escalations.names(), name));
      settings_.not_trusted = true;
    }
  }

  /// A broken file may contain deny rules that the user relies on, so it is an error.
  void refuse(const std::string& name, std::string_view why) {
    if (refused_) return;
    refused_ = Error{Code::usage,
                     fmt::format("{}{} cannot be used: {}. They may contain deny rules, so the "
                                 "agent does not run without them",
                                 kSettingsError, name, why),
                     "correct the file, or leave it out with the agent's option "
                     "--setting-sources"};
  }

  Result<> done() const {
    if (refused_) return std::unexpected(*refused_);
    return {};
  }

 private:
  /// A mistake in rules that only allow is a note, in other rules an error.
  void report(const std::string& name, std::string_view why, bool allows) {
    if (!allows) return refuse(name, why);
    settings_.notes.push_back(fmt::format("Ignoring the settings in {}: {}", name, why));
  }

  void report_mistakes(const Document& permissions, const std::string& name) {
    if (!permissions.is_null() && !permissions.is_object()) {
      return refuse(name + ", permissions", "it is not an object");
    }
    for (const std::string_view key : {"allow", "deny", "ask", "additionalDirectories"}) {
      const auto& list = json::member(permissions, key);
      const bool allows = key != "deny" && key != "ask";
      const auto place = fmt::format("{}, permissions.{}", name, key);
      if (!list.is_null() && !json::is_text_list(list)) {
        report(place, list.is_array() ? "it has an entry that is not a string" : "it is not a list",
               allows);
      }
      for (const auto& rule : json::texts(list)) {
        if (key == "additionalDirectories" || permission::is_well_formed_rule(rule)) continue;
        report(place, fmt::format("the parentheses of '{}' do not match", rule), allows);
      }
    }
  }

  /// Restrictions are used from every file.
  void add_restrictions(const Document& permissions, const std::string& name) {
    report_mistakes(permissions, name);
    append(settings_.rules.deny, json::texts(permissions, "deny"));
    append(settings_.rules.ask, json::texts(permissions, "ask"));
    if (json::text(permissions, "disableBypassPermissionsMode") == "disable") {
      settings_.bypass_forbidden = true;
    }
  }

  /// Only from the user's files and from trusted repositories.
  void add_freedoms(const Document& more, bool own, const std::string& name) {
    const auto& permissions = json::member(more, "permissions");
    append(settings_.rules.allow, json::texts(permissions, "allow"));
    append(settings_.directories, json::texts(permissions, "additionalDirectories"));
    const auto mode = json::text(permissions, "defaultMode");
    if (!mode.empty() && (own || mode != "bypassPermissions")) {
      settings_.default_mode = mode;
      settings_.mode_source = fmt::format("permissions.defaultMode of {}", name);
    }
    add_skip_permissions(json::member(more, kSkipPermissions), name);
    add_key_helper(json::text(more, "apiKeyHelper"), own, name);
    add_environment(json::member(more, "env"), name);
    if (const auto& on = json::member(json::member(more, "sandbox"), "enabled"); on.is_boolean()) {
      settings_.sandbox = on.get<bool>() ? name : "";
    }
    append(settings_.disabled_mcp_servers, json::texts(more, "disabledMcpjsonServers"));
    append(settings_.enabled_mcp_servers, json::texts(more, "enabledMcpjsonServers"));
    if (const auto& all = json::member(more, "enableAllProjectMcpServers"); all.is_boolean()) {
      settings_.all_mcp_servers = all.get<bool>();
    }
  }

  void add_hooks(const Document& more, bool managed, const std::string& name) {
    const auto& hooks = json::member(more, "hooks");
    if (has_hooks(hooks)) settings_.hooks.push_back({name, json::write(hooks), managed});
    if (const auto& off = json::member(more, "disableAllHooks"); off.is_boolean()) {
      settings_.hooks_off = off.get<bool>();
    }
    if (managed && json::member(more, "allowManagedHooksOnly") == true) {
      settings_.only_managed_hooks = true;
    }
  }

  void add_skip_permissions(const Document& skip, const std::string& name) {
    if (skip == true) {
      settings_.default_mode = "bypassPermissions";
      settings_.mode_source = fmt::format("{} of {}", kSkipPermissions, name);
    }
    if (!skip.is_null() && !skip.is_boolean()) {
      settings_.notes.push_back(
          fmt::format("Ignoring {} of {}: it is neither true nor false", kSkipPermissions, name));
    }
  }

  void add_key_helper(std::string helper, bool own, const std::string& name) {
    if (own && !helper.empty()) {
      settings_.api_key_helper = std::move(helper);
    } else if (!helper.empty()) {
      settings_.notes.push_back(fmt::format(
          "Ignoring apiKeyHelper of {}: only user settings may name the program that prints the "
          "key",
          name));
    }
  }

  /// Variables can make programs run others (PATH, BASH_ENV, GIT_…).
  void add_environment(const Document& variables, const std::string& name) {
    if (!variables.is_object()) return;
    for (const auto& [key, value] : variables.items()) {
      const bool valid = !key.empty() && key.find_first_of(std::string_view("=\0", 2)) == key.npos;
      if (!valid)
        settings_.notes.push_back(fmt::format("{}: '{}' is not a valid variable name", name, key));
      if (valid && value.is_string()) {
        settings_.environment.emplace_back(key, value.get<std::string>());
      }
    }
  }

  Settings& settings_;
  bool trusted_;
  std::optional<Error> refused_;
};

/// Missing, or replaced by a sandbox's placeholder or /dev/null.
bool is_absent(const fs::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return errno == ENOENT || errno == ENOTDIR;
  return is_placeholder(info) || S_ISCHR(info.st_mode);
}

/// `boundary`: as for read_source_file(). An empty file is ignored.
void read_into(SettingsMerger& merger, const fs::path& path, const fs::path& boundary,
               Origin origin) {
  const auto file = read_source_file(path, boundary, kLargestSettingsFile);
  if (!file && is_absent(path)) return;
  if (!file) {
    return merger.refuse(path.string(),
                         boundary.empty()
                             ? "it is not a readable regular text file"
                             : "it is not a regular file inside the directory that you own");
  }
  if (is_blank(file->text)) return;
  const auto parsed = json::parse(file->text);
  if (!parsed) return merger.refuse(path.string(), "it is not JSON");
  merger.add(*parsed, origin, path.string());
}

/// --settings: JSON, or the name of a file with it.
Result<Document> given_settings(const std::string& given) {
  if (auto inlined = json::parse(given); inlined && inlined->is_object()) return inlined;
  const auto text = read_file(given);
  if (!text) {
    return fail(Code::usage, fmt::format("Error: Settings file not found: {}", given));
  }
  auto parsed = json::parse(*text, given);
  if (!parsed || !parsed->is_object()) {
    return fail(Code::usage, fmt::format("Error: Settings file is not a JSON object: {}", given));
  }
  return parsed;
}

}  // namespace

Result<Settings> read_settings(const Options& options, const Environment& environment,
                               const fs::path& cwd) {
  Settings settings;
  const auto record = read_claude_record(environment);
  const bool trusted = is_trusted(environment, record, cwd);
  SettingsMerger merger(settings, trusted);
  if (!options.bare) {
    if (wants(options, "user")) {
      read_into(merger, environment.config_folder() / "settings.json", {}, Origin::user);
    }
    if (wants(options, "project")) {
      read_into(merger, cwd / ".claude" / "settings.json", real(cwd), Origin::shared);
    }
    if (wants(options, "local")) {
      read_into(merger, cwd / ".claude" / "settings.local.json", real(cwd), Origin::local);
    }
  }
  if (!options.settings.empty()) {
    TRY_ASSIGN(const auto given, given_settings(options.settings));
    merger.add(given, Origin::flag, "--settings");
  }
  if (!options.managed_settings.empty()) {
    const auto given = json::parse(options.managed_settings);
    if (given) {
      merger.add(*given, Origin::managed, "--managed-settings");
    } else {
      merger.refuse("--managed-settings", "it is not JSON");
    }
  }
  read_into(merger, kManagedSettings, {}, Origin::managed);
  TRY(merger.done());
  if (settings.hooks_off || settings.only_managed_hooks || options.bare) {
    std::erase_if(settings.hooks, [](const HookSource& source) { return !source.managed; });
  }
  TRY(add_mcp_servers(settings, {options, environment, record, real(cwd)}));
  return settings;
}

}  // namespace ralph::settings
