#include "agent/instructions/agent_definitions.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/instructions/builtin_agents_impl.h"
#include "agent/instructions/frontmatter.h"
#include "agent/permission/rule.h"
#include "agent/settings/settings.h"
#include "core/base/file.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/json/field.h"
#include "core/model/names.h"

namespace ralph::instructions {
namespace {

namespace fs = std::filesystem;
using json::Document;

constexpr std::size_t kMostAgents = 1'000;
constexpr int kDeepestAgentFolder = 4;
/// They would restrict or check what the agent does.
constexpr std::array<std::string_view, 2> kRefused{"hooks", "isolation"};

/// Reads the members of one definition. Keeps the first mistake.
class DefinitionReader {
 public:
  DefinitionReader(const Document& definition, std::string where)
      : definition_(definition), where_(std::move(where)) {}

  std::string text(const char* key) {
    const auto& value = json::member(definition_, key);
    if (value.is_null()) return {};
    if (!value.is_string()) {
      complain(key, "must be a text");
      return {};
    }
    return std::string(trim(value.get_ref<const std::string&>()));
  }
  std::string required_text(const char* key) {
    auto value = text(key);
    if (value.empty()) complain(key, "is missing");
    return value;
  }
  std::string word(const char* key, std::span<const std::string_view> known) {
    auto value = text(key);
    if (!value.empty() && std::ranges::find(known, value) == known.end()) {
      complain(key, fmt::format("has the unknown value '{}'", value));
    }
    return value;
  }
  std::optional<permission::Mode> mode(const char* key) {
    const auto value = text(key);
    if (value.empty()) return std::nullopt;
    const auto mode = permission::parse_mode(value);
    if (!mode) complain(key, fmt::format("has the unknown value '{}'", value));
    return mode ? std::optional(*mode) : std::nullopt;
  }
  std::optional<std::int64_t> count(const char* key) {
    const auto& value = json::member(definition_, key);
    if (value.is_null()) return std::nullopt;
    std::optional<std::int64_t> number;
    if (value.is_number_integer()) number = value.get<std::int64_t>();
    if (value.is_string()) number = parse_number<std::int64_t>(value.get_ref<const std::string&>());
    if (!number || *number < 1) complain(key, "must be a number above 0");
    return number;
  }
  bool flag(const char* key) {
    const auto& value = json::member(definition_, key);
    const bool yes = value == true || value == "true";
    if (!yes && !value.is_null() && value != false && value != "false") {
      complain(key, "must be true or false");
    }
    return yes;
  }
  /// nullopt: not given, or "*".
  std::optional<std::vector<std::string>> tools(const char* key) {
    const auto& value = json::member(definition_, key);
    if (value.is_null()) return std::nullopt;
    std::vector<std::string> names;
    if (value.is_string()) {
      names = names_in(value.get_ref<const std::string&>());
      if (names.empty()) complain(key, "is empty; without it the agent has all tools");
    } else if (json::is_text_list(value)) {
      names = json::texts(value);
    } else {
      complain(key, "must be a list of tools");
    }
    for (auto& name : names) {
      if (name.find('(') != name.npos) {
        complain(key, fmt::format("restricts a tool by '{}', which is not supported: name the "
                                  "tool, and restrict it with permission rules",
                                  name));
      }
      name = permission::current_tool_name(name);
    }
    if (std::ranges::find(names, "*") != names.end()) return std::nullopt;
    return names;
  }
  void refuse_unsupported() {
    for (const auto key : kRefused) {
      const auto& value = json::member(definition_, key);
      if (value.is_null() || (value.is_structured() && value.empty())) continue;
      complain(key, "is not supported by ralph's agent");
    }
  }
  void complain(std::string_view key, std::string_view what) {
    if (problem_.empty()) problem_ = fmt::format("{}: '{}' {}", where_, key, what);
  }
  const std::string& problem() const { return problem_; }

 private:
  /// "Read, Bash", "[Read, Bash]", and "- Read - Bash" of a YAML list.
  static std::vector<std::string> names_in(std::string_view text) {
    std::string plain(text);
    std::erase_if(plain, [](char c) { return c == '[' || c == ']' || c == '"' || c == '\''; });
    auto names = settings::split_rules(plain);
    std::erase(names, "-");
    return names;
  }

  const Document& definition_;
  std::string where_;
  std::string problem_;
};

Document fields_of(const MarkdownText& text) {
  auto fields = Document::object();
  for (const auto& [key, value] : text.fields) fields[key] = value;
  fields["prompt"] = text.body;
  return fields;
}

std::vector<std::string> both(const std::vector<std::string>& agent, const auto& allowed) {
  std::vector<std::string> names;
  for (const auto& name : agent) {
    const bool of_server = name.starts_with("mcp__");  // --tools is about built-in tools
    if (of_server || std::ranges::find(allowed, name, permission::current_tool_name) !=
                         std::ranges::end(allowed)) {
      names.push_back(name);
    }
  }
  return names;
}

/// The Markdown files below a directory, which need not exist; links to directories are not followed. Directories that
/// cannot be read are noted.
void find_markdown(const fs::path& folder, int depth, std::vector<fs::path>& files,
                   std::vector<std::string>& notes) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (files.size() + notes.size() >= kMostAgents) return;
    std::error_code unknown;
    if (fs::is_directory(at->symlink_status(unknown))) {
      if (depth < kDeepestAgentFolder) find_markdown(at->path(), depth + 1, files, notes);
    } else if (at->path().extension() == ".md") {
      files.push_back(at->path());
    }
  }
  const bool absent =
      error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
  if (!error || absent) return;
  notes.push_back(fmt::format("ralph: {}: it cannot be read ({}); its agents are not defined",
                              folder.string(), error.message()));
}

}  // namespace

Result<AgentDefinition> parse_agent(std::string_view name, const Document& definition,
                                    std::string_view where) {
  if (!definition.is_object()) {
    return fail(Code::malformed, fmt::format("{} is not an object", where));
  }
  DefinitionReader reader(definition, std::string(where));
  AgentDefinition agent{.name = std::string(name),
                        .description = reader.required_text("description"),
                        .prompt = reader.required_text("prompt")};
  agent.tools = reader.tools("tools");
  agent.disallowed_tools = reader.tools("disallowedTools").value_or(std::vector<std::string>());
  agent.model = reader.text("model");
  if (agent.model == "inherit") agent.model.clear();
  agent.effort = reader.word("effort", model::kEfforts);
  agent.mode = reader.mode("permissionMode");
  agent.max_turns = reader.count("maxTurns");
  agent.background = reader.flag("background");
  reader.refuse_unsupported();
  if (!reader.problem().empty()) return fail(Code::malformed, reader.problem());
  return agent;
}

/// A directory with definitions.
struct AgentDefinitions::Place {
  fs::path folder;
  fs::path boundary;  // as for read_source_file()
  const settings::DeniedFiles& denied;
  bool replaces = true;
};

AgentDefinitions::AgentDefinitions(const settings::Options& options,
                                   const settings::Environment& environment, const fs::path& cwd,
                                   const settings::DeniedFiles& denied) {
  for (auto& agent : builtin_agents()) all_.emplace(agent.name, std::move(agent));
  std::error_code error;
  const auto real = fs::canonical(cwd, error);
  if (options.bare || error) return;
  if (settings::wants(options, "user")) {
    find_in({environment.config_folder() / "agents", {}, denied});
  }
  if (settings::wants(options, "project")) {
    find_in({real / ".claude" / "agents", real, denied, settings::is_trusted(environment, real)});
  }
}

void AgentDefinitions::find_in(const Place& place) {
  std::vector<fs::path> files;
  find_markdown(place.folder, 0, files, notes_);
  std::ranges::sort(files);
  for (const auto& file : files) add_file(file, place);
}

void AgentDefinitions::add_file(const fs::path& file, const Place& place) {
  const auto source = settings::read_source_file(file, place.boundary);
  if (!source) return;
  if (!place.boundary.empty() && place.denied.contains(file, source->path)) return;
  const auto text = parse_frontmatter(source->text);
  std::string name(text.value("name"));
  const auto where = file.string();
  if (name.empty()) {
    notes_.push_back(fmt::format("ralph: {}: 'name' is missing; no agent is defined", where));
    return;
  }
  if (!place.replaces && all_.contains(name)) {
    notes_.push_back(
        fmt::format("ralph: {}: the agent '{}' exists already, and this workspace is "
                    "not trusted ('ralph trust' trusts it)",
                    where, name));
    return;
  }
  auto agent = parse_agent(name, fields_of(text), where);
  if (!agent) {
    notes_.push_back(
        fmt::format("ralph: {}; the agent '{}' cannot be used", agent.error().message, name));
    agent = AgentDefinition{.name = name, .description = {}, .prompt = {}};
    agent->problem = notes_.back().substr(notes_.back().find(' ') + 1);
  }
  if (all_.size() < kMostAgents) all_.insert_or_assign(std::move(name), *std::move(agent));
}

Result<std::vector<AgentDefinition>> read_agents(const Document& definitions,
                                                 std::string_view where) {
  if (!definitions.is_object()) {
    return fail(Code::malformed, fmt::format("{} must be an object of agents", where));
  }
  std::vector<AgentDefinition> read;
  for (const auto& [name, definition] : definitions.items()) {
    TRY_ASSIGN(auto agent,
               parse_agent(name, definition, fmt::format("{}: agent '{}'", where, name)));
    read.push_back(std::move(agent));
  }
  return read;
}

void AgentDefinitions::add(std::vector<AgentDefinition> agents) {
  const std::lock_guard lock(mutex_);
  for (auto& agent : agents) {
    auto name = agent.name;
    all_.insert_or_assign(std::move(name), std::move(agent));
  }
}

std::optional<AgentDefinition> AgentDefinitions::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const auto found = all_.find(name);
  return found == all_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<AgentDefinition> AgentDefinitions::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<AgentDefinition> agents;
  for (const auto& [name, agent] : all_) agents.push_back(agent);
  return agents;
}

Result<> add_given(AgentDefinitions& agents, const std::string& given, const fs::path& cwd) {
  constexpr std::string_view kOption = "--agents";
  if (given.empty()) return {};
  if (trim(given).starts_with('{')) {
    TRY_ASSIGN(const auto parsed, json::parse(given, kOption));
    TRY_ASSIGN(auto read, read_agents(parsed, kOption));
    agents.add(std::move(read));
    return {};
  }
  auto text = read_file(cwd / given, settings::kLargestSettingsFile);
  if (!text) {
    return fail(Code::usage, fmt::format("{} '{}' is neither a JSON object nor a file with one: {}",
                                         kOption, given, text.error().message));
  }
  TRY_ASSIGN(const auto parsed, json::parse(*text, given));
  TRY_ASSIGN(auto read, read_agents(parsed, given));
  agents.add(std::move(read));
  return {};
}

settings::Options options_of(const settings::Options& options, const AgentDefinition& agent) {
  auto own = options;
  std::ranges::copy(agent.disallowed_tools, std::back_inserter(own.disallowed_tools));
  if (!agent.effort.empty()) own.effort = agent.effort;
  if (!agent.tools) return own;
  const bool all =
      !options.tools || std::ranges::find(*options.tools, "default") != options.tools->end();
  if (!all) {
    own.tools = both(*agent.tools, *options.tools);
  } else {
    own.tools = options.bare ? both(*agent.tools, settings::kBareTools) : *agent.tools;
  }
  return own;
}

}  // namespace ralph::instructions
