#include <algorithm>
#include <utility>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "agent/instructions/instruction_files.h"
#include "agent/instructions/system_prompt.h"
#include "agent/permission/rule.h"
#include "agent/session/local_command.h"
#include "agent/settings/claude_version.h"
#include "agent/tool/token_estimate.h"
#include "agent/wire/agent_parts_impl.h"
#include "agent/wire/hook_parts_impl.h"
#include "core/base/path.h"
#include "system/git/named_paths.h"
#include "system/process/environment.h"

namespace ralph::wire {
namespace {

namespace fs = std::filesystem;

/// Protects hooks and configuration files in the working directories that git's configuration names.
void add_named_by_git(const settings::Environment& environment, tool::Workspace::Setup& setup) {
  std::error_code error;
  const auto program = process::find_program("git", environment.entries(), "/");
  const auto home = environment.home();
  auto folders = setup.directories;
  folders.push_back(setup.root);
  const auto holds_git = [&](const fs::path& folder) {
    return is_below(fs::weakly_canonical(*program, error), folder);
  };
  if (!program || std::ranges::any_of(folders, holds_git)) return;
  for (const auto& folder : folders) {
    for (const auto& path : git::named_paths(*program, folder, home, {{"HOME", home.string()}})) {
      const auto named = folder / path;
      auto real = fs::weakly_canonical(named, error);
      if (real != named) setup.own_folders.push_back(std::move(real));  // it is a link
      setup.own_folders.push_back(named);
    }
  }
}

/// Of an agent the session works as: its calls must be allowed in that agent's mode too.
session::Caller main_caller(const Prepared& prepared) {
  const auto agent = prepared.agents->find(prepared.options.agent);
  return {.mode = agent ? agent->mode : std::nullopt};
}

tool::Workspace::Setup workspace_setup(const Setup& setup, const Prepared& prepared,
                                       const std::string& session_id,
                                       tool::BackgroundTasks& tasks) {
  const auto& environment = setup.environment;
  tool::Workspace::Setup made;
  made.root = real_path(setup.cwd);
  for (const auto& folder : setup.options.add_dirs) {
    made.directories.push_back(real_path(setup.cwd / folder));
  }
  for (const auto& folder :
       {environment.config_folder(), environment.own_config_folder(), environment.state_folder()}) {
    made.own_folders.push_back(real_path(setup.cwd / folder));
  }
  made.output_folder = session::output_folder(environment.config_folder(), setup.cwd, session_id);
  made.environment = {{"CLAUDECODE", "1"},
                      {"CLAUDE_CODE_ENTRYPOINT", "sdk-cli"},
                      {"CLAUDE_CODE_SESSION_ID", session_id},
                      {"CLAUDE_CODE_CHILD_SESSION", "1"},
                      {"CLAUDE_CODE_SESSION_ATTENDED", "0"},
                      {"CLAUDE_PID", std::to_string(::getpid())}};
  for (const auto& folder : prepared.settings.directories) {
    made.directories.push_back(real_path(setup.cwd / folder));
  }
  add_named_by_git(environment, made);
  for (const auto& [name, value] : prepared.settings.environment) {
    made.environment.push_back({name, value});
  }
  const auto* model = model::Table::builtin().find(prepared.choice->id());
  made.read_before_write = model != nullptr && model->thinking == model::Thinking::budget;
  made.background = !environment.on("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS");
  made.tasks = &tasks;
  made.variables = environment.entries();
  made.unreadable = permission::unreadable_patterns(prepared.rules);
  return made;
}

/// Empty: nothing is stored.
fs::path todo_folder(const Setup& setup) {
  if (!setup.options.persist) return {};
  return setup.environment.config_folder() / "tasks";
}

mcp::Surroundings mcp_surroundings(const Setup& setup, const Prepared& prepared,
                                   mcp::ClientLink& link) {
  mcp::Surroundings made;
  made.cwd = real_path(setup.cwd);
  made.client_version = settings::kClaudeVersion;
  made.environment = prepared.settings.environment;
  made.link = &link;
  made.warn = [&setup](std::string_view line) { warn(setup, line); };
  set_mcp_limits(made, setup.environment);
  return made;
}

}  // namespace

Result<session::SessionStart> open_session(const Setup& setup, const settings::Options& options,
                                           const std::string& git_branch) {
  return session::open_session(options, {setup.cwd, setup.environment.config_folder(), git_branch});
}

Result<std::unique_ptr<AgentParts>> AgentParts::create(const Setup& setup,
                                                       session::TurnControl& control,
                                                       EventWriter& writer, Prepared prepared,
                                                       const session::SessionStart& start) {
  TRY(prepare(setup, control, start, prepared));
  std::unique_ptr<AgentParts> parts(
      new AgentParts(setup, control, writer, std::move(prepared), start));
  for (const auto& server : parts->prepared.settings.mcp_servers) parts->servers.add(server);
  return parts;
}

AgentParts::AgentParts(const Setup& given_setup, session::TurnControl& turn_control,
                       EventWriter& writer, Prepared made, const session::SessionStart& start)
    : setup(given_setup),
      control(turn_control),
      prepared(std::move(made)),
      sink(writer, setup.options),
      meter(sink, [this] { return fixed_tokens(); }),
      identity(start.session_id),
      ledger(model::Table::builtin(), start.totals),
      model(connection(), start.session_id),
      policy(prepared.mode, prepared.rules,
             setup.options.permission_prompts == "none" ? permission::Prompts::none
                                                        : permission::Prompts::possible),
      modes(policy, session::SessionEvents(meter, identity)),
      workspace(workspace_setup(setup, prepared, start.session_id, tasks)),
      denied_files(workspace.setup().unreadable, workspace.setup().root),
      skills(instructions::Skills::find(setup.options, setup.environment, setup.cwd, denied_files)),
      skill_tool(skills),
      enter_plan_tool(modes),
      exit_plan_tool(modes),
      todo_tools(todo_folder(setup), identity),
      web_fetch_tool(side_model(), {.local = setup.environment.on("RALPH_AGENT_FETCH_LOCAL")}),
      web_search_tool(side_model()),
      heartbeats(setup.heartbeats, session::SessionEvents(meter, identity)),
      client(writer),
      client_approver(client, {policy, modes}, workspace),
      mcp_link(client),
      servers(mcp_surroundings(setup, prepared, mcp_link),
              mcp_search_policy(setup.options, setup.environment,
                                model::Table::builtin().context_window(prepared.choice->id()))),
      mcp_tools(servers),
      listed_tools(&mcp_tools, prepared.agent_tools),
      tool_approver(
          setup.options.permission_prompt_tool,
          [this](std::string_view name) { return servers.find(name); }, {policy, modes}, workspace),
      client_callbacks(client),
      hook_reporter(setup, session::SessionEvents(meter, identity)),
      hooks(hook_parts()),
      gate(policy, workspace, hooks, approver(), main_caller(prepared)),
      subagents(host()),
      agent_tool(*prepared.agents, subagents),
      toolbox({.workspace = workspace,
               .options = prepared.options,
               .gate = gate,
               .more = main_tools(),
               .source = &listed_tools,
               .heartbeats = &heartbeats}),
      expander(setup.options, skills, toolbox, workspace) {
  if (const auto& missing = toolbox.without_ripgrep(); !missing.empty()) {
    warn(setup, fmt::format("ralph: {} {} left out: 'rg' was not found in PATH outside the working "
                            "directories; install ripgrep",
                            fmt::join(missing, " and "), missing.size() > 1 ? "are" : "is"));
  }
  meter.measure();
}

FixedTokens AgentParts::fixed_tokens() const {
  FixedTokens tokens{.system = 0, .tools = tool::estimated_tokens(toolbox.definitions())};
  for (const auto& text : prepared.system) tokens.system += tool::estimated_tokens(text);
  return tokens;
}

Connection AgentParts::connection() const {
  return {setup.options, setup.environment, prepared.login, setup.version};
}

hook::ConfiguredHooksParts AgentParts::hook_parts() {
  auto parts = wire::hook_parts(std::move(prepared.hooks.hooks), prepared.settings,
                                setup.environment, setup.cwd);
  parts.common = [this] {
    return common_hook_input(setup.environment, setup.cwd, identity.session_id(), policy.mode());
  };
  parts.observer = &hook_reporter;
  parts.callback = &client_callbacks;
  return parts;
}

/// nullptr: nobody can be asked.
session::Approver* AgentParts::approver() {
  const auto& tool = setup.options.permission_prompt_tool;
  if (tool.empty()) return nullptr;
  if (tool == "stdio") return &client_approver;
  return &tool_approver;
}

/// A connection for each call, because calls may run at the same time.
web::SideModel AgentParts::side_model() {
  return {
      .connect = [this] { return std::make_unique<ApiModel>(connection(), identity.session_id()); },
      .choice = *prepared.choice,
      .ledger = ledger};
}

bool AgentParts::can_ask() const {
  return !setup.options.permission_prompt_tool.empty() &&
         setup.options.permission_prompts != "none";
}

/// Whether a call that needs permission is not denied in any case.
bool AgentParts::may_be_allowed(std::string_view tool) const {
  const auto rules = policy.rules();
  return can_ask() || policy.mode() == permission::Mode::bypass ||
         hooks.has(hook::Event::pre_tool_use) || hooks.has(hook::Event::permission_request) ||
         std::ranges::any_of(rules.allow, [&](const std::string& text) {
           return permission::names_tool(permission::parse_rule(text), tool);
         });
}

/// Unless --tools names them, the Skill tool needs skills, web tools are left out where every call would be denied, and the
/// to-do list is left out because every request pays for it. Tools that need the user are offered only where someone can be asked.
std::vector<const tool::Tool*> AgentParts::session_tools() const {
  const auto& options = setup.options;
  const auto asked = [&](std::string_view name) {
    return options.tools && std::ranges::find(*options.tools, name) != options.tools->end();
  };
  std::vector<const tool::Tool*> tools;
  if (!options.disable_slash_commands && (asked("Skill") || !skills.empty())) {
    tools.push_back(&skill_tool);
  }
  for (const auto& tool : todo_tools.all()) {
    if (asked(tool.name())) tools.push_back(&tool);
  }
  for (const auto* tool : {static_cast<const tool::Tool*>(&web_fetch_tool),
                           static_cast<const tool::Tool*>(&web_search_tool)}) {
    if (asked(tool->name()) || may_be_allowed(tool->name())) tools.push_back(tool);
  }
  if (can_ask()) {
    tools.insert(tools.end(), {&question_tool, &enter_plan_tool, &exit_plan_tool});
  }
  return tools;
}

std::vector<const tool::Tool*> AgentParts::main_tools() const {
  auto tools = session_tools();
  tools.push_back(&agent_tool);
  return tools;
}

/// What subagents use of these parts.
subagent::Host AgentParts::host() {
  return {.options = setup.options,
          .environment = setup.environment,
          .place = {setup.cwd, setup.environment.config_folder(), prepared.git_branch},
          .identity = identity,
          .sink = meter,
          .control = control,
          .ledger = ledger,
          .choice = *prepared.choice,
          .policy = policy,
          .workspace = workspace,
          .tasks = tasks,
          .hooks = hooks,
          .approver = approver(),
          .heartbeats = setup.heartbeats,
          .more_tools = session_tools(),
          .tool_source = &listed_tools,
          .make_model =
              [this](std::string_view agent_id) {
                return std::make_unique<ApiModel>(connection(), identity.session_id(), agent_id);
              },
          .shows_texts =
              [this] {
                return setup.options.subagent_text || client_setup.get().forward_subagent_text;
              },
          .config = [this] { return session_config(); }};
}

Result<std::unique_ptr<session::Session>> AgentParts::make_session(session::SessionStart start) {
  const session::SessionLinks links{.identity = identity,
                                    .model = model,
                                    .tools = toolbox,
                                    .sink = meter,
                                    .choice = *prepared.choice,
                                    .inbox = inbox,
                                    .control = control,
                                    .ledger = ledger,
                                    .hooks = hooks};
  return session::Session::create(session_config(), links, std::move(start));
}

void AgentParts::change_session(const session::SessionStart& start) {
  identity.change_session(start.session_id);
  ledger.reset(start.totals);
  model.connect(connection(), start.session_id);
}

session::SessionConfig AgentParts::session_config() const {
  const auto& environment = setup.environment;
  return {.init = init_facts(),
          .permission_mode = [this] { return permission::to_string(policy.mode()); },
          .system = prepared.system,
          .introduction =
              [this] {
                return std::vector{instructions::surroundings(setup.cwd, prepared.git_branch),
                                   instructions::instructions_text(instructions::read_instructions(
                                       setup.options, setup.environment, setup.cwd, denied_files))};
              },
          .warn = [this](std::string_view line) { warn(setup, line); },
          .compaction = session::CompactPolicy(environment, prepared.settings.auto_compact),
          .limits = {.max_budget_usd = setup.options.max_budget_usd,
                     .max_turns = prepared.options.max_turns,
                     .loop_guard = setup.options.loop_guard
                                       ? *setup.options.loop_guard
                                       : environment.number("RALPH_AGENT_LOOP_GUARD").value_or(0),
                     .max_structured_failures =
                         static_cast<int>(environment.number("MAX_STRUCTURED_OUTPUT_RETRIES")
                                              .value_or(session::StructuredOutput::kMaxFailures))},
          .structured = prepared.structured ? &*prepared.structured : nullptr,
          .partial_messages = setup.options.partial_messages,
          .replay_user_messages = setup.options.replay_user_messages,
          .token_login = prepared.login.credential.api_key.empty()};
}

session::InitFacts AgentParts::init_facts() const {
  session::InitFacts facts;
  facts.cwd = setup.cwd.string();
  facts.permission_mode = permission::to_string(policy.mode());
  facts.key_source = prepared.login.source;
  facts.add_dirs = setup.options.add_dirs;
  for (const auto& agent : prepared.agents->all()) {
    if (agent.problem.empty()) facts.agents.push_back(agent.name);
  }
  for (const auto& [name, skill] : skills.all()) {
    facts.slash_commands.push_back(name);
    if (skill.kind != instructions::Skill::Kind::command) facts.skills.push_back(name);
  }
  if (!setup.options.disable_slash_commands) {
    facts.slash_commands.emplace_back(session::kClear);
    facts.slash_commands.emplace_back("compact");
  }
  return facts;
}

}  // namespace ralph::wire
