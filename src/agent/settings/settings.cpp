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
#include "core/json/document.h"

namespace ralph::settings {
namespace {

namespace fs = std::filesystem;
using json::Document;

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

/// Of the machine's administrator: it counts whatever the options say, and last.
constexpr std::string_view kManagedSettings = "/etc/claude-code/managed-settings.json";

/// The original does not know it; repositories written for other tools have it.
constexpr const char* kSkipPermissions = "dangerouslySkipPermissions";

/// Settings beside those of permissions that name programs or servers to run, set variables, or switch off
/// what the user's own settings ask for.
constexpr std::array kRaisingKeys{kSkipPermissions,
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

/// Whose words a file holds. `shared`: the repository's, which others wrote; `local`: the user's about it.
enum class Origin { user, shared, local, flag };

std::string text_of(const Document& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::vector<std::string> texts_of(const Document& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const auto& text : list) {
    if (text.is_string()) texts.push_back(text.get<std::string>());
  }
  return texts;
}

void append(std::vector<std::string>& to, std::vector<std::string> more) {
  std::ranges::move(more, std::back_inserter(to));
}

/// A list of hooks that is empty asks for nothing.
bool has_hooks(const Document& hooks) {
  if (!hooks.is_object()) return !hooks.empty();
  return std::ranges::any_of(hooks, [](const Document& event) { return !event.empty(); });
}

/// What would let a session do more than its user said: settings by name, for one line per file.
class Raising {
 public:
  explicit Raising(const Document& settings) {
    for (const auto* const key : kRaisingKeys) note(member(settings, key), key);
    const auto& permissions = member(settings, "permissions");
    for (const auto* const key : {"allow", "additionalDirectories", "defaultMode"}) {
      note(member(permissions, key), fmt::format("permissions.{}", key));
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

/// Puts the settings of one file after another on top.
class Pile {
 public:
  Pile(Settings& settings, bool trusted) : settings_(settings), trusted_(trusted) {}

  void add(const Document& more, Origin origin, const std::string& name) {
    if (!more.is_object()) return refuse(name, "it is not a JSON object");
    if (auto model = text_of(more, "model"); !model.empty()) settings_.model = std::move(model);
    if (const auto& compact = member(more, "autoCompactEnabled"); compact.is_boolean()) {
      settings_.auto_compact = compact.get<bool>();
    }
    add_restrictions(member(more, "permissions"), name);
    const bool own = origin == Origin::user || origin == Origin::flag;
    if (own || trusted_) return add_freedoms(more, own, name);
    if (const auto raising = Raising(more); !raising.names().empty()) {
      settings_.notes.push_back(untrusted_note(raising.names(), name));
    }
  }

  /// What is broken may hold a denial that its writer counts on: nothing is done without it.
  void refuse(const std::string& name, std::string_view why) {
    if (refused_) return;
    refused_ = Error{Code::usage,
                     fmt::format("Error: the settings in {} cannot be used: {}. They may deny "
                                 "something, so nothing is done without them",
                                 name, why),
                     "correct the file, or leave it out with the agent's option "
                     "--setting-sources"};
  }

  Result<> done() const {
    if (refused_) return std::unexpected(*refused_);
    return {};
  }

 private:
  /// A mistake in what only allows takes nothing away: a note is enough.
  void report(const std::string& name, std::string_view why, bool allows) {
    if (!allows) return refuse(name, why);
    settings_.notes.push_back(fmt::format("Ignoring the settings in {}: {}", name, why));
  }

  void report_mistakes(const Document& permissions, const std::string& name) {
    if (!permissions.is_null() && !permissions.is_object()) {
      return refuse(name + ", permissions", "it is not an object");
    }
    for (const std::string_view key : {"allow", "deny", "ask", "additionalDirectories"}) {
      const auto& list = member(permissions, key.data());
      const bool allows = key != "deny" && key != "ask";
      const auto place = fmt::format("{}, permissions.{}", name, key);
      const auto is_text = [](const Document& entry) { return entry.is_string(); };
      if (!list.is_null() && !list.is_array()) {
        report(place, "it is not a list", allows);
      } else if (!std::ranges::all_of(list, is_text)) {
        report(place, "it has an entry that is not a string", allows);
      }
      for (const auto& rule : texts_of(list)) {
        if (key == "additionalDirectories" || permission::is_well_formed_rule(rule)) continue;
        report(place, fmt::format("the parentheses of '{}' do not match", rule), allows);
      }
    }
  }

  /// What only takes away counts from every file.
  void add_restrictions(const Document& permissions, const std::string& name) {
    report_mistakes(permissions, name);
    append(settings_.rules.deny, texts_of(member(permissions, "deny")));
    append(settings_.rules.ask, texts_of(member(permissions, "ask")));
    if (text_of(permissions, "disableBypassPermissionsMode") == "disable") {
      settings_.bypass_forbidden = true;
    }
  }

  /// Of the user's own files, and of a repository the user trusts.
  void add_freedoms(const Document& more, bool own, const std::string& name) {
    const auto& permissions = member(more, "permissions");
    append(settings_.rules.allow, texts_of(member(permissions, "allow")));
    append(settings_.directories, texts_of(member(permissions, "additionalDirectories")));
    const auto mode = text_of(permissions, "defaultMode");
    if (!mode.empty() && (own || mode != "bypassPermissions")) {
      settings_.default_mode = mode;
      settings_.mode_source = fmt::format("permissions.defaultMode of {}", name);
    }
    const auto& skip = member(more, kSkipPermissions);
    if (skip == true) {
      settings_.default_mode = "bypassPermissions";
      settings_.mode_source = fmt::format("{} of {}", kSkipPermissions, name);
    }
    if (!skip.is_null() && !skip.is_boolean()) {
      settings_.notes.push_back(
          fmt::format("Ignoring {} of {}: it is neither true nor false", kSkipPermissions, name));
    }
    if (auto helper = text_of(more, "apiKeyHelper"); own && !helper.empty()) {
      settings_.api_key_helper = std::move(helper);
    } else if (!helper.empty()) {
      settings_.notes.push_back(fmt::format(
          "Ignoring apiKeyHelper of {}: only your own settings name the program that gives the key",
          name));
    }
    add_environment(member(more, "env"), name);
    if (has_hooks(member(more, "hooks"))) settings_.hooks.push_back(name);
    if (const auto& off = member(more, "disableAllHooks"); off.is_boolean()) {
      settings_.hooks_off = off.get<bool>();
    }
    if (const auto& on = member(member(more, "sandbox"), "enabled"); on.is_boolean()) {
      settings_.sandbox = on.get<bool>() ? name : "";
    }
    append(settings_.disabled_mcp_servers, texts_of(member(more, "disabledMcpjsonServers")));
  }

  /// Variables make programs run others (PATH, BASH_ENV, GIT_…).
  void add_environment(const Document& variables, const std::string& name) {
    if (!variables.is_object()) return;
    for (const auto& [key, value] : variables.items()) {
      const bool valid = !key.empty() && key.find_first_of(std::string_view("=\0", 2)) == key.npos;
      if (!valid)
        settings_.notes.push_back(fmt::format("{}: '{}' is no name of a variable", name, key));
      if (valid && value.is_string()) {
        settings_.environment.emplace_back(key, value.get<std::string>());
      }
    }
  }

  Settings& settings_;
  bool trusted_;
  std::optional<Error> refused_;
};

/// Missing, or hidden by a sandbox: its placeholder, /dev/null.
bool is_absent(const fs::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return errno != EACCES;
  return is_placeholder(info) || S_ISCHR(info.st_mode);
}

/// `boundary`: as for read_source_file(). An empty file says nothing.
void read_into(Pile& pile, const fs::path& path, const fs::path& boundary, Origin origin) {
  const auto file = read_source_file(path, boundary, kMostBytes);
  if (!file && is_absent(path)) return;
  if (!file) {
    return pile.refuse(path.string(), boundary.empty()
                                          ? "it is not a regular file of text that can be read"
                                          : "it is not a regular file of yours within the folder");
  }
  if (file->text.find_first_not_of(" \t\r\n") == file->text.npos) return;
  const auto parsed = json::parse(file->text);
  if (!parsed) return pile.refuse(path.string(), "it is not JSON");
  pile.add(*parsed, origin, path.string());
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
  Pile pile(settings, trusted);
  if (!options.bare) {
    if (wants(options, "user")) {
      read_into(pile, environment.config_folder() / "settings.json", {}, Origin::user);
    }
    if (wants(options, "project")) {
      read_into(pile, cwd / ".claude" / "settings.json", real(cwd), Origin::shared);
    }
    if (wants(options, "local")) {
      read_into(pile, cwd / ".claude" / "settings.local.json", real(cwd), Origin::local);
    }
  }
  if (!options.settings.empty()) {
    TRY_ASSIGN(const auto given, given_settings(options.settings));
    pile.add(given, Origin::flag, "--settings");
  }
  read_into(pile, kManagedSettings, {}, Origin::user);
  TRY(pile.done());
  if (settings.hooks_off || options.bare) settings.hooks.clear();
  add_mcp_servers(settings, {options, record, real(cwd), trusted});
  return settings;
}

}  // namespace ralph::settings
