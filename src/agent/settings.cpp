#include "agent/settings.h"

#include <algorithm>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/source_file.h"
#include "base/file.h"
#include "json/document.h"

namespace ralph::agent {
namespace {

namespace fs = std::filesystem;
using json::Document;

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kMostBytesOfRecord = std::size_t{64} << 20;

/// Whose words a file holds. `shared`: the repository's, which others wrote; `local`: the user's about it.
enum class Origin { user, shared, local, flag };

std::string text_of(const Document& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

const Document& member(const Document& object, const char* key) {
  static const Document kNone;
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? kNone : *found;
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

/// Puts the settings of one file after another on top.
class Pile {
 public:
  Pile(Settings& settings, bool trusted) : settings_(settings), trusted_(trusted) {}

  void add(const Document& more, Origin origin, const std::string& name) {
    if (!more.is_object()) return ignore(name, "it is no JSON object; correct it");
    if (auto model = text_of(more, "model"); !model.empty()) settings_.model = std::move(model);
    if (const auto& compact = member(more, "autoCompactEnabled"); compact.is_boolean()) {
      settings_.auto_compact = compact.get<bool>();
    }
    const bool own = origin == Origin::user || origin == Origin::flag;
    if (auto helper = text_of(more, "apiKeyHelper"); own && !helper.empty()) {
      settings_.api_key_helper = std::move(helper);
    }
    if (more.contains("dangerouslySkipPermissions")) {
      settings_.notes.push_back(
          fmt::format("dangerouslySkipPermissions in {} has no effect: it is no setting; use "
                      "--dangerously-skip-permissions",
                      name));
    }
    add_permissions(member(more, "permissions"), origin, name);
    add_environment(member(more, "env"), origin, name);
  }

  void ignore(const std::string& name, std::string_view why) {
    settings_.notes.push_back(fmt::format("Ignoring the settings in {}: {}", name, why));
  }

 private:
  /// Whatever is not what it should be could be a denial that its writer counts on.
  void tell_mistakes(const Document& permissions, const std::string& name) {
    if (!permissions.is_null() && !permissions.is_object()) {
      return ignore(name + ", permissions", "it is no object; correct it");
    }
    for (const auto* const key : {"allow", "deny", "ask", "additionalDirectories"}) {
      const auto& list = member(permissions, key);
      const auto is_text = [](const Document& entry) { return entry.is_string(); };
      if (!list.is_null() && !list.is_array()) {
        ignore(fmt::format("{}, permissions.{}", name, key), "it is no list; correct it");
      } else if (!std::ranges::all_of(list, is_text)) {
        ignore(fmt::format("{}, some of permissions.{}", name, key),
               "they are no texts; correct them");
      }
    }
  }

  /// A file in the repository speaks for whoever can write there; in a folder the user trusts, for the user.
  bool may_open_doors(Origin origin) const {
    return origin == Origin::user || origin == Origin::flag || trusted_;
  }

  /// Variables make programs run others (PATH, BASH_ENV, GIT_…).
  void add_environment(const Document& variables, Origin origin, const std::string& name) {
    if (!variables.is_object() || variables.empty()) return;
    if (!may_open_doors(origin)) {
      settings_.notes.push_back(fmt::format(
          "Ignoring env of {}: this workspace is not trusted ('ralph trust' trusts it)", name));
      return;
    }
    for (const auto& [key, value] : variables.items()) {
      const bool valid = !key.empty() && key.find_first_of(std::string_view("=\0", 2)) == key.npos;
      if (!valid)
        settings_.notes.push_back(fmt::format("{}: '{}' is no name of a variable", name, key));
      if (valid && value.is_string()) {
        settings_.environment.emplace_back(key, value.get<std::string>());
      }
    }
  }

  void add_permissions(const Document& permissions, Origin origin, const std::string& name) {
    tell_mistakes(permissions, name);
    auto allow = texts_of(member(permissions, "allow"));
    if (!may_open_doors(origin) && !allow.empty()) {
      settings_.notes.push_back(fmt::format(
          "Ignoring {} permissions.allow entries from {}: this workspace is not trusted "
          "('ralph trust' trusts it)",
          allow.size(), name));
      allow.clear();
    }
    append(settings_.rules.allow, std::move(allow));
    append(settings_.rules.deny, texts_of(member(permissions, "deny")));
    append(settings_.rules.ask, texts_of(member(permissions, "ask")));
    if (may_open_doors(origin)) {
      append(settings_.directories, texts_of(member(permissions, "additionalDirectories")));
    }
    const auto mode = text_of(permissions, "defaultMode");
    const bool harmless =
        mode == "default" || mode == "manual" || mode == "acceptEdits" || mode == "dontAsk";
    const bool own = origin == Origin::user || origin == Origin::flag;
    if (own || harmless || (trusted_ && mode != "bypassPermissions")) {
      if (!mode.empty()) settings_.default_mode = mode;
    }
  }

  Settings& settings_;
  bool trusted_;
};

/// `boundary`: as for read_source_file(). A file that is there and of no use is told of.
void read_into(Pile& pile, const fs::path& path, const fs::path& boundary, Origin origin) {
  const auto file = read_source_file(path, boundary, kMostBytes);
  std::error_code error;
  if (!file && !fs::exists(path, error)) return;
  if (!file) {
    return pile.ignore(path.string(), boundary.empty()
                                          ? "it is no regular file of text that can be read"
                                          : "it is no regular file of yours within the folder");
  }
  const auto parsed = json::parse(file->text);
  if (!parsed) return pile.ignore(path.string(), "it is not JSON; correct it");
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

fs::path trust_file(const Environment& environment) {
  return environment.own_config_folder() / "trusted.json";
}

/// Claude Code's record of what its user has trusted.
fs::path claude_record(const Environment& environment) {
  const auto folder = environment.get("CLAUDE_CONFIG_DIR");
  return (folder.empty() ? environment.home() : fs::path(folder)) / ".claude.json";
}

Document read_object(const fs::path& path) {
  const auto file = read_source_file(path, {}, kMostBytesOfRecord);
  auto parsed = file ? json::parse(file->text) : Result<Document>(Document::object());
  return parsed && parsed->is_object() ? *std::move(parsed) : Document::object();
}

fs::path real(const fs::path& folder) {
  std::error_code error;
  auto resolved = fs::weakly_canonical(folder, error);
  return error ? folder : resolved;
}

}  // namespace

Result<Settings> read_settings(const Options& options, const Environment& environment,
                               const fs::path& cwd) {
  Settings settings;
  Pile pile(settings, is_trusted(environment, cwd));
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
  return settings;
}

bool is_trusted(const Environment& environment, const fs::path& folder) {
  const auto path = real(folder).string();
  if (member(read_object(trust_file(environment)), path.c_str()) == true) return true;
  const auto record = read_object(claude_record(environment));
  const auto& project = member(member(record, "projects"), path.c_str());
  return member(project, "hasTrustDialogAccepted") == true;
}

Result<> set_trust(const Environment& environment, const fs::path& folder, bool trusted) {
  const auto file = trust_file(environment);
  auto record = read_object(file);
  const auto path = real(folder).string();
  if (trusted) {
    record[path] = true;
  } else {
    record.erase(path);
  }
  TRY(make_folders(file.parent_path(), 0700));
  return write_file_atomically(file, json::write_pretty(record), 0600);
}

}  // namespace ralph::agent
