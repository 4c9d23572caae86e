#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/session/local_command.h"
#include "agent/settings/claude_version.h"
#include "agent/wire/control_requests_impl.h"
#include "core/json/field.h"
#include "core/model/names.h"

/// Requests for what a session has: commands, models, settings, rules.
namespace ralph::wire {
namespace {

using json::Document;

Document model_entry(const std::string& value, std::string_view name, const std::string& id) {
  const auto* const model = model::Table::builtin().find(id);
  Document entry{{"value", value}, {"resolvedModel", id}, {"displayName", name}};
  auto description = id;
  if (model != nullptr && !model->prices.empty()) {
    const auto& price = model->prices.front();
    description += fmt::format(": ${}/${} per million tokens", price.input, price.output);
  }
  entry["description"] = description;
  if (model != nullptr && !model->default_effort.empty()) {
    entry["supportsEffort"] = true;
    entry["supportedEffortLevels"] = model::kEfforts;
  }
  if (model != nullptr) {
    const bool always = model->thinking == model::Thinking::always;
    entry["supportsAdaptiveThinking"] = always || model->thinking == model::Thinking::adaptive;
    entry["supportsThinkingOff"] = !always;
  }
  return entry;
}

/// Later settings win, lists are concatenated, as when they were read.
void merge(Document& into, const Document& more) {
  for (const auto& [key, value] : more.items()) {
    auto& old = into[key];
    if (old.is_object() && value.is_object()) {
      merge(old, value);
    } else if (old.is_array() && value.is_array()) {
      for (const auto& entry : value) old.push_back(entry);
    } else {
      old = value;
    }
  }
}

/// What counts of the settings of a repository that is not trusted.
Document restrictions_of(const Document& settings) {
  auto kept = Document::object();
  for (const auto* const key : {"model", "autoCompactEnabled"}) {
    if (settings.contains(key)) kept[key] = settings[key];
  }
  const auto& permissions = json::member(settings, "permissions");
  for (const auto* const key : {"deny", "ask", "disableBypassPermissionsMode"}) {
    if (permissions.contains(key)) kept["permissions"][key] = permissions[key];
  }
  return kept;
}

Document settings_of(const settings::SettingsSource& source) {
  return json::parse(source.settings).value_or(Document::object());
}

Document effective_settings(const settings::Settings& settings) {
  auto effective = Document::object();
  for (const auto& source : settings.sources) {
    const auto own = settings_of(source);
    merge(effective, source.restricts_only ? restrictions_of(own) : own);
  }
  return effective;
}

Document source_list(const settings::Settings& settings) {
  auto list = Document::array();
  for (const auto& source : settings.sources) {
    list.push_back({{"source", source.name}, {"settings", settings_of(source)}});
  }
  return list;
}

bool has_text(const std::vector<std::string>& list, const std::string& text) {
  return std::ranges::find(list, text) != list.end();
}

/// Of a rule from the start: the first of the files and the command line.
std::string source_of(const AgentParts& parts, const std::string& behavior,
                      const std::string& rule) {
  for (const auto& source : parts.prepared.settings.sources) {
    if (source.restricts_only && behavior == "allow") continue;
    const auto own = settings_of(source);
    const auto& permissions = json::member(own, "permissions");
    if (has_text(json::texts(permissions, behavior), rule)) return source.name;
  }
  const auto& options = parts.setup.options;
  const bool given = (behavior == "allow" && has_text(options.allowed_tools, rule)) ||
                     (behavior == "deny" && has_text(options.disallowed_tools, rule));
  return given ? "cliArg" : "session";
}

std::string source_of(const AgentParts& parts, permission::RuleSource source,
                      const std::string& behavior, const std::string& rule) {
  switch (source) {
    case permission::RuleSource::start: return source_of(parts, behavior, rule);
    case permission::RuleSource::flag_settings: return "flagSettings";
    case permission::RuleSource::answers: break;
  }
  return "session";
}

std::string_view editability(std::string_view source) {
  if (source == "cliArg" || source == "session") return "session";
  return source == "flagSettings" || source == "policySettings" ? "readonly" : "persistent";
}

Document rule_list(const AgentParts& parts) {
  using permission::RuleSource;
  const std::pair<const char*, std::vector<std::string> permission::Rules::*> behaviors[] = {
      {"allow", &permission::Rules::allow},
      {"ask", &permission::Rules::ask},
      {"deny", &permission::Rules::deny}};
  auto list = Document::array();
  for (const auto& [behavior, member] : behaviors) {
    for (const auto from : {RuleSource::start, RuleSource::flag_settings, RuleSource::answers}) {
      const auto rules = parts.policy.rules(from);
      for (const auto& rule : rules.*member) {
        const auto source = source_of(parts, from, behavior, rule);
        list.push_back({{"behavior", behavior},
                        {"source", source},
                        {"rule", rule},
                        {"editability", editability(source)}});
      }
    }
  }
  return list;
}

Document directory_list(const AgentParts& parts) {
  auto list = Document::array();
  const auto& given = parts.setup.options.add_dirs;
  for (std::size_t at = 0; at < parts.workspace.setup().directories.size(); ++at) {
    list.push_back({{"path", parts.workspace.setup().directories[at].string()},
                    {"source", at < given.size() ? "cliArg" : "userSettings"}});
  }
  return list;
}

Document skill_list(const AgentParts& parts, bool with_commands) {
  auto list = Document::array();
  for (const auto& [name, skill] : parts.skills.all()) {
    const bool command = skill.kind == instructions::Skill::Kind::command;
    if (command && !with_commands) continue;
    list.push_back({{"name", name},
                    {"description", skill.description},
                    {"argumentHint", skill.argument_hint}});
  }
  return list;
}

}  // namespace

Document command_list(const AgentParts& parts) {
  auto list = skill_list(parts, true);
  if (parts.setup.options.disable_slash_commands) return list;
  list.push_back({{"name", session::kClear},
                  {"description", "Start a new session without the conversation so far"},
                  {"argumentHint", ""}});
  list.push_back({{"name", "compact"},
                  {"description", "Replace the conversation by a summary"},
                  {"argumentHint", "[what the summary must keep]"}});
  return list;
}

Document model_list(const AgentParts& parts) {
  const auto& choice = *parts.prepared.choice;
  auto list = Document::array();
  list.push_back(model_entry("default", "Default", choice.id_of("default")));
  for (const auto& [alias, variable] : model::kFamilies) {
    if (model::Table::builtin().find(alias) == nullptr) continue;
    std::string name(alias);
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
    list.push_back(model_entry(std::string(alias), name, choice.id_of(alias)));
  }
  return list;
}

Document output_style_list() { return Document::array({"default"}); }

ControlReply serve_list_models(AgentParts& parts, const Document&) {
  return success({{"models", model_list(parts)}});
}

ControlReply serve_get_binary_version(AgentParts& parts, const Document&) {
  return success({{"version", settings::kClaudeVersion}, {"ralphVersion", parts.setup.version}});
}

/// Commands and skills are those from the start; their texts are read when they are called.
ControlReply serve_reload_plugins(AgentParts& parts, const Document&) {
  return success({{"commands", command_list(parts)},
                  {"agents", agent_list(parts)},
                  {"plugins", Document::array()},
                  {"mcpServers", server_list(parts)},
                  {"error_count", 0}});
}

ControlReply serve_reload_skills(AgentParts& parts, const Document&) {
  return success({{"skills", skill_list(parts, false)}});
}

ControlReply serve_reload_output_styles(AgentParts&, const Document&) {
  return success({{"available_output_styles", output_style_list()}});
}

ControlReply serve_get_settings(AgentParts& parts, const Document&) {
  const auto& settings = parts.prepared.settings;
  const auto shape = parts.prepared.choice->shape();
  const auto effort = shape.effort.empty() ? Document() : Document(shape.effort);
  return success({{"effective", effective_settings(settings)},
                  {"sources", source_list(settings)},
                  {"applied", {{"model", parts.prepared.choice->id()}, {"effort", effort}}}});
}

ControlReply serve_list_permission_rules(AgentParts& parts, const Document&) {
  return success({{"state",
                   {{"rules", rule_list(parts)},
                    {"workspaceDirectories", directory_list(parts)},
                    {"originalCwd", parts.setup.cwd.string()},
                    {"managedOnly", false}}}});
}

}  // namespace ralph::wire
