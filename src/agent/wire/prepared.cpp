#include <algorithm>
#include <iterator>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "agent/instructions/system_prompt.h"
#include "agent/permission/rule_check.h"
#include "agent/wire/hook_parts_impl.h"
#include "agent/wire/input_line.h"
#include "agent/wire/prepared_impl.h"
#include "agent/wire/reader.h"
#include "core/base/path.h"
#include "core/json/field.h"

namespace ralph::wire {
namespace {

Result<permission::Mode> choose_mode(const Setup& setup, const settings::Settings& settings) {
  const auto& options = setup.options;
  const auto& word =
      options.permission_mode.empty() ? settings.default_mode : options.permission_mode;
  TRY_ASSIGN(auto mode, permission::parse_mode(word.empty() ? "default" : word));
  if (options.skip_permissions) mode = permission::Mode::bypass;
  const bool by_option = options.skip_permissions || !options.permission_mode.empty();
  if (mode == permission::Mode::bypass && settings.bypass_forbidden) {
    return fail(Code::usage,
                fmt::format("{} is forbidden by the setting disableBypassPermissionsMode",
                            by_option ? "bypassPermissions" : settings.mode_source),
                "choose another --permission-mode");
  }
  if (mode == permission::Mode::bypass && setup.is_root &&
      setup.environment.get("IS_SANDBOX") != "1") {
    return fail(
        Code::usage,
        fmt::format("{} cannot be used with root/sudo privileges for security reasons",
                    by_option ? "--dangerously-skip-permissions" : settings.mode_source),
        "start it by 'ralph run --sandbox' or 'ralph loop --sandbox', set IS_SANDBOX=1 in a "
        "container you trust, or choose --permission-mode acceptEdits");
  }
  return mode;
}

/// Adds the agents of an `initialize` request that is the first line of stdin: --agent can name one of them.
Result<> add_client_agents(const Setup& setup, const std::stop_token& stop, Prepared& prepared) {
  TRY_ASSIGN(prepared.read_ahead, read_first_line(setup.io.in, stop));
  const auto line = read_input_line(prepared.read_ahead.substr(0, prepared.read_ahead.find('\n')));
  if (!line) return {};  // reported when it is read again
  const auto* const request = std::get_if<ControlRequest>(&*line);
  if (request == nullptr || request->subtype != "initialize") return {};
  TRY_ASSIGN(const auto content, json::parse(request->request));
  const auto& given = json::member(content, "agents");
  if (given.is_null()) return {};
  TRY_ASSIGN(auto agents, instructions::read_agents(given, "initialize"));
  prepared.agents->add(std::move(agents));
  return {};
}

/// Makes the session work as the agent of --agent.
Result<> become_agent(const settings::Options& options, Prepared& prepared) {
  const auto agent = prepared.agents->find(options.agent);
  if (!agent) {
    std::vector<std::string> names;
    for (const auto& known : prepared.agents->all()) names.push_back(known.name);
    return fail(Code::usage, fmt::format("--agent '{}': there is no such agent", options.agent),
                fmt::format("the agents are: {}", fmt::join(names, ", ")));
  }
  if (!agent->problem.empty()) {
    return fail(Code::usage,
                fmt::format("--agent '{}' cannot be used: {}", options.agent, agent->problem));
  }
  prepared.options = instructions::options_of(options, *agent);
  prepared.agent_tools = agent->tools;
  if (options.system_prompt.value_or("").empty() && options.system_prompt_file.empty()) {
    prepared.options.system_prompt = agent->prompt;
  }
  if (options.model.empty()) prepared.options.model = agent->model;
  if (agent->max_turns && !options.max_turns) prepared.options.max_turns = agent->max_turns;
  return {};
}

/// A rule that was meant to restrict must not do nothing in silence.
void warn_of_rules(const Setup& setup, std::string_view kind,
                   const std::vector<std::string>& rules) {
  for (const auto& rule : rules) {
    if (const auto why = permission::why_no_match(rule); !why.empty()) {
      warn(setup, fmt::format("Permission {} rule \"{}\" {}.", kind, rule, why));
    }
  }
}

/// Finds the agents; with --agent the session works as one of them.
Result<> prepare_agents(const Setup& setup, const std::stop_token& stop, Prepared& prepared) {
  const auto& options = setup.options;
  const settings::DeniedFiles denied(permission::unreadable_patterns(prepared.rules),
                                     real_path(setup.cwd));
  prepared.options = options;
  prepared.agents = std::make_unique<instructions::AgentDefinitions>(options, setup.environment,
                                                                     setup.cwd, denied);
  for (const auto& note : prepared.agents->notes()) warn(setup, note);
  TRY(instructions::add_given(*prepared.agents, options.agents, setup.cwd));
  if (options.agent.empty()) return {};
  if (options.input == settings::Format::stream_json) {
    TRY(add_client_agents(setup, stop, prepared));
  }
  return become_agent(options, prepared);
}

}  // namespace

Result<> prepare(const Setup& setup, const session::TurnControl& control,
                 const session::SessionStart& start, Prepared& prepared) {
  const auto& options = setup.options;
  TRY_ASSIGN(prepared.settings, settings::read_settings(options, setup.environment, setup.cwd));
  TRY_ASSIGN(const auto unsupported, settings::check_supported(prepared.settings, options));
  for (const auto& note : unsupported) warn(setup, note);
  TRY_ASSIGN(prepared.login,
             settings::find_login(setup.environment, prepared.settings, control.over()));
  for (const auto& note : start.notes) warn(setup, "ralph: " + note);
  for (const auto& note : prepared.settings.notes) warn(setup, note);
  TRY_ASSIGN(prepared.hooks, read_hooks(prepared.settings, options));
  for (const auto& note : prepared.hooks.notes) warn(setup, note);
  for (const auto& note : prepared.login.notes) warn(setup, note);
  prepared.rules = prepared.settings.rules;
  std::ranges::copy(options.allowed_tools, std::back_inserter(prepared.rules.allow));
  std::ranges::copy(options.disallowed_tools, std::back_inserter(prepared.rules.deny));
  warn_of_rules(setup, "deny", prepared.rules.deny);
  warn_of_rules(setup, "ask", prepared.rules.ask);
  TRY(prepare_agents(setup, control.over(), prepared));
  prepared.choice = std::make_unique<settings::ModelChoice>(
      model::Table::builtin(), prepared.options, setup.environment, prepared.settings.model);
  for (const auto& note : prepared.choice->notes()) warn(setup, "ralph: " + note);
  TRY_ASSIGN(prepared.mode, choose_mode(setup, prepared.settings));
  TRY_ASSIGN(prepared.system, instructions::system_prompt(prepared.options));
  if (start.system_prompt) prepared.system = {*start.system_prompt};
  return {};
}

}  // namespace ralph::wire
