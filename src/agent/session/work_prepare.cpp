#include <algorithm>
#include <utility>

#include <fmt/ranges.h>
#include <unistd.h>

#include "agent/instructions/memory.h"
#include "agent/instructions/system_prompt.h"
#include "agent/session/local_command.h"
#include "agent/session/transcript_impl.h"
#include "agent/session/work_impl.h"
#include "agent/settings/endpoint.h"
#include "core/base/id.h"
#include "core/base/path.h"
#include "core/json/writer.h"
#include "system/git/named_paths.h"
#include "system/process/environment.h"

namespace ralph::session {
namespace {

/// Hooks and settings in the working folders that git's settings name.
void add_named_by_git(const settings::Environment& environment, tool::Workspace::Setup& setup) {
  std::error_code error;
  const auto program = process::find_program("git", environment.entries(), "/");
  const auto home = environment.home();
  auto folders = setup.directories;
  folders.push_back(setup.root);
  const auto holds_git = [&](const std::filesystem::path& folder) {
    return is_below(std::filesystem::weakly_canonical(*program, error), folder);
  };
  if (!program || std::ranges::any_of(folders, holds_git)) return;
  for (const auto& folder : folders) {
    for (const auto& path : git::named_paths(*program, folder, home, {{"HOME", home.string()}})) {
      const auto named = folder / path;
      auto real = std::filesystem::weakly_canonical(named, error);
      if (real != named) setup.own_folders.push_back(std::move(real));  // a link leads there
      setup.own_folders.push_back(named);
    }
  }
}

}  // namespace

Result<> Work::prepare(Opening opening) {
  TRY_ASSIGN(const auto settings,
             settings::read_settings(options_, setup_.environment, setup_.cwd));
  TRY_ASSIGN(const auto unsupported, settings::check_supported(settings, options_));
  for (const auto& note : unsupported) say(note);
  TRY_ASSIGN(login_, settings::find_login(setup_.environment, settings, control_.over()));
  for (const auto& note : opening.notes) say("ralph: " + note);
  for (const auto& note : settings.notes) say(note);
  for (const auto& note : login_.notes) say(note);
  return prepare_parts(opening, settings);
}

Result<> Work::prepare_parts(Opening& opening, const settings::Settings& settings) {
  const auto& models = model::Table::builtin();
  const auto& environment = setup_.environment;
  events_.emplace(opening.session_id);
  model_.emplace(models, options_, environment, settings.model);
  for (const auto& note : model_->notes()) say("ralph: " + note);
  ledger_.emplace(models, std::move(opening.totals));
  context_.emplace(CompactPolicy(environment, settings.auto_compact), opening.context_tokens);
  kept_ = std::move(opening.kept);
  introduced_ = opening.resumed && !opening.messages.empty();
  converse_in(opening);
  connect();
  TRY(prepare_tools(settings));
  TRY_ASSIGN(auto system, instructions::system_prompt(options_));
  if (opening.system_prompt) system = {*opening.system_prompt};
  parts_.emplace(TurnParts{options_,
                           writer_,
                           *events_,
                           *ledger_,
                           *conversation_,
                           inbox_,
                           control_,
                           *model_,
                           client_ ? &*client_ : nullptr,
                           login_.credential.api_key.empty(),
                           *toolbox_,
                           tasks_,
                           structured_ ? &*structured_ : nullptr,
                           static_cast<int>(environment.number("MAX_STRUCTURED_OUTPUT_RETRIES")
                                                .value_or(StructuredOutput::kMaxFailures)),
                           init_facts(),
                           std::move(system),
                           tool_definitions(),
                           user_id(),
                           *context_,
                           kept_,
                           [this] { return introduction(); },
                           options_.loop_guard
                               ? *options_.loop_guard
                               : environment.number("RALPH_AGENT_LOOP_GUARD").value_or(0)});
  if (!options_.session_name.empty()) {
    writer_.event(events_->title_changed(options_.session_name));
    conversation_->keep_title(options_.session_name);
  }
  return {};
}

/// What is said from here on belongs to this session.
void Work::converse_in(Opening& opening) {
  conversation_.emplace(std::move(opening.messages), std::move(opening.transcript),
                        [this](const Error& error) {
                          say("ralph: the session is not kept whole: " + describe(error));
                          writer_.event(events_->writes_lost(error.message));
                        });
}

void Work::connect() {
  const auto& environment = setup_.environment;
  if (!login_.found()) return;
  api::RetryPolicy policy;
  if (const auto most = environment.number("CLAUDE_CODE_MAX_RETRIES")) {
    policy.max_retries = static_cast<int>(std::clamp<std::int64_t>(*most, 0, 1000));
  }
  if (environment.on("IS_SANDBOX")) policy.hard_to_get.clear();
  if (!options_.fallback_models.empty()) policy.hard_to_get = {""};  // soon to the next model
  client_.emplace(
      settings::endpoint_for(environment, login_, setup_.version, events_->session_id()), policy);
}

std::string Work::user_id() const {
  std::string id;
  json::ObjectWriter(id).text("session_id", events_->session_id()).close();
  return id;
}

/// The tools, where they work, and what they may do.
Result<> Work::prepare_tools(const settings::Settings& settings) {
  const auto& environment = setup_.environment;
  const auto& word =
      options_.permission_mode.empty() ? settings.default_mode : options_.permission_mode;
  TRY_ASSIGN(auto mode, permission::parse_mode(word.empty() ? "default" : word));
  if (options_.skip_permissions) mode = permission::Mode::bypass;
  const bool by_option = options_.skip_permissions || !options_.permission_mode.empty();
  if (mode == permission::Mode::bypass && settings.bypass_forbidden) {
    return fail(Code::usage,
                fmt::format("{} is forbidden by the setting disableBypassPermissionsMode",
                            by_option ? "bypassPermissions" : settings.mode_source),
                "choose another --permission-mode");
  }
  if (mode == permission::Mode::bypass && setup_.is_root && !environment.on("IS_SANDBOX")) {
    return fail(
        Code::usage,
        fmt::format("{} cannot be used with root/sudo privileges for security reasons",
                    by_option ? "--dangerously-skip-permissions" : settings.mode_source),
        "start it by 'ralph run --sandbox' or 'ralph loop --sandbox', set IS_SANDBOX=1 in a "
        "container you trust, or choose --permission-mode acceptEdits");
  }
  auto rules = settings.rules;
  std::ranges::copy(options_.allowed_tools, std::back_inserter(rules.allow));
  std::ranges::copy(options_.disallowed_tools, std::back_inserter(rules.deny));
  auto setup = workspace_setup(settings);
  setup.unreadable = permission::unreadable_patterns(rules);
  workspace_.emplace(std::move(setup));
  denied_files_ = settings::DeniedFiles(workspace_->setup().unreadable, workspace_->setup().root);
  skills_ = instructions::Skills::find(options_, environment, setup_.cwd, denied_files_);
  skill_tool_.emplace(skills_);
  std::vector<const tool::Tool*> more;
  if (offers_skills()) more.push_back(&*skill_tool_);
  toolbox_.emplace(*workspace_, options_, mode, std::move(rules), more);
  if (const auto& missing = toolbox_->without_ripgrep(); !missing.empty()) {
    say(
        fmt::format("ralph: {} {} left out: 'rg' was not found in PATH outside of the working "
                    "folders; install ripgrep",
                    fmt::join(missing, " and "), missing.size() > 1 ? "are" : "is"));
  }
  expander_.emplace(options_, skills_, *toolbox_, *workspace_);
  heartbeats_.emplace(setup_.heartbeats, writer_, *events_);
  toolbox_->watch_with(*heartbeats_);
  return {};
}

/// Where there are none, only who asks for the tool gets it.
bool Work::offers_skills() const {
  const bool asked =
      options_.tools && std::ranges::find(*options_.tools, "Skill") != options_.tools->end();
  return !options_.disable_slash_commands && (asked || !skills_.empty());
}

tool::Workspace::Setup Work::workspace_setup(const settings::Settings& settings) {
  const auto& environment = setup_.environment;
  const auto& id = events_->session_id();
  const auto real = [](const std::filesystem::path& path) {
    std::error_code error;
    auto resolved = std::filesystem::weakly_canonical(path, error);
    return error ? path : resolved;
  };
  tool::Workspace::Setup setup;
  setup.root = real(setup_.cwd);
  for (const auto& folder : options_.add_dirs) {
    setup.directories.push_back(real(setup_.cwd / folder));
  }
  for (const auto& folder :
       {environment.config_folder(), environment.own_config_folder(), environment.state_folder()}) {
    setup.own_folders.push_back(real(setup_.cwd / folder));
  }
  const auto session = transcript_path(environment.config_folder(), setup_.cwd, id);
  setup.output_folder = resolved_session_path(session).parent_path() / id / "tool-results";
  setup.environment = {{"CLAUDECODE", "1"},
                       {"CLAUDE_CODE_ENTRYPOINT", "sdk-cli"},
                       {"CLAUDE_CODE_SESSION_ID", id},
                       {"CLAUDE_CODE_CHILD_SESSION", "1"},
                       {"CLAUDE_CODE_SESSION_ATTENDED", "0"},
                       {"CLAUDE_PID", std::to_string(::getpid())}};
  for (const auto& folder : settings.directories) {
    setup.directories.push_back(real(setup_.cwd / folder));
  }
  add_named_by_git(environment, setup);
  for (const auto& [name, value] : settings.environment) setup.environment.push_back({name, value});
  const auto* model = model::Table::builtin().find(model_->id());
  setup.read_before_write = model != nullptr && model->thinking == model::Thinking::budget;
  setup.background = !environment.on("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS");
  setup.tasks = &tasks_;
  setup.variables = environment.entries();
  return setup;
}

/// A JSON array; empty: there are no tools.
std::string Work::tool_definitions() const {
  auto all = toolbox_->definitions();
  if (structured_) all += (all.empty() ? "" : ",") + structured_->definition();
  return all.empty() ? "" : "[" + all + "]";
}

InitFacts Work::init_facts() const {
  InitFacts facts;
  facts.cwd = setup_.cwd.string();
  facts.tools = toolbox_->names();
  if (structured_) facts.tools.emplace_back(StructuredOutput::kName);
  facts.permission_mode = permission::to_string(toolbox_->mode());
  facts.key_source = login_.source;
  facts.add_dirs = options_.add_dirs;
  for (const auto& [name, skill] : skills_.all()) {
    facts.slash_commands.push_back(name);
    if (skill.kind != instructions::Skill::Kind::command) facts.skills.push_back(name);
  }
  if (!options_.disable_slash_commands) facts.slash_commands.emplace_back(kClear);
  return facts;
}

}  // namespace ralph::session
