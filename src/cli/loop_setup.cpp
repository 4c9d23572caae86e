#include "cli/loop_setup.h"

#include <algorithm>

#include <fmt/core.h>

#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/init.h"
#include "cli/loop_folder.h"
#include "cli/loop_goal.h"
#include "cli/loop_settings.h"
#include "cli/run_settings.h"
#include "cli/std_output.h"
#include "core/base/file.h"
#include "harness/loop/direnv.h"
#include "harness/loop/goal_file.h"
#include "harness/run/protected_files.h"
#include "harness/run/run.h"
#include "harness/run/sandbox.h"
#include "harness/store/loop_state_store.h"
#include "harness/store/workspace.h"

namespace ralph::cli {
namespace {

using config::Key;

constexpr const char* kConfigFlag = "config";

/// Of --config, or of the --config of the start.
std::string config_file_of(const Arguments& arguments,
                           const std::optional<store::LoopState>& state) {
  if (arguments.flag("config") || !state) return std::string(arguments.value("config"));
  const auto known = state->flags.find(kConfigFlag);
  return known == state->flags.end() || known->second.empty() ? "" : known->second.front();
}

using Flags = std::map<std::string, std::vector<std::string>>;

Flags kept_flags(const std::vector<config::FlagValue>& flags) {
  Flags kept;
  for (const auto& flag : flags) {
    if (is_kept_for_resume(flag.key))
      kept[std::string(config::setting(flag.key).key)] = flag.values;
  }
  return kept;
}

/// What was said at the start counts, where nothing else is said now.
void add_flags_of_start(const Flags& kept, std::vector<config::FlagValue>& flags) {
  for (const auto& [name, values] : kept) {
    const auto* setting = config::find_setting(name);
    if (setting == nullptr || !is_kept_for_resume(setting->id)) continue;
    const bool said = std::ranges::find(flags, setting->id, &config::FlagValue::key) != flags.end();
    if (!said) flags.push_back({setting->id, values});
  }
}

Result<loop::Template> read_template(const std::string& file) {
  auto text = read_file(file);
  if (!text) {
    return fail(Code::usage, "the prompt's template: " + text.error().message,
                "'ralph docs prompt-template' describes the format; without --template the "
                "built-in one is used");
  }
  TRY_ASSIGN(auto form, loop::Template::parse(*std::move(text), file));
  if (form.has("goal")) return form;
  return fail(
      Code::config,
      "the prompt's template '" + file + "' has no {{goal}}: the agent would not get the goal",
      "insert {{goal}} where the goal belongs");
}

Result<> check(const config::Settings& settings) {
  if (settings.boolean(Key::rollback) && !settings.boolean(Key::commit)) {
    return fail(Code::usage, "--rollback needs --commit",
                "a rollback restores the commit before the iteration");
  }
  if (settings.boolean(Key::stash) && !settings.boolean(Key::commit)) {
    return fail(Code::usage, "--stash needs --commit",
                "without --commit your changes are not touched");
  }
  return {};
}

/// The variables of `.envrc`, which runs in the sandbox when there is one.
Result<> merge_direnv(loop::Setup& setup) {
  auto& host = setup.request.host;
  TRY_ASSIGN(const auto wrap, run::sandbox_for_commands(host));
  const run::ProtectedFiles before(host.workspace, run::named_by_repository(host));
  auto envrc = loop::load_envrc(host.workspace, host.own_env, Millis{30'000}, {}, wrap);
  if (wrap) {
    const auto folder = store::Workspace::at(host.root()).run_folder(setup.loop_id);
    const auto moved = before.restore(folder.path() / "removed");
    setup.warnings.insert(setup.warnings.end(), moved.begin(), moved.end());
  }
  setup.warnings.insert(setup.warnings.end(), envrc.warnings.begin(), envrc.warnings.end());
  // A script of the agent may have said it: it must not choose what the sandbox shows or who gets the key.
  std::erase_if(envrc.env, [&](const process::EnvChange& change) {
    const bool refused = host.sandboxed() && run::decides_sandbox(change.name);
    if (refused) {
      setup.warnings.push_back(
          fmt::format("'.envrc' sets {}: it is not used in a sandbox", change.name));
    }
    return refused;
  });
  host.workspace_env = std::move(envrc.env);
  return {};
}

Result<> set_goal(const Goal& goal, loop::Setup& setup) {
  setup.goal = goal.text;
  setup.goal_file = goal.file;
  setup.goal_path = goal.path;
  setup.goal_seen = goal.seen;
  if (goal.edited) setup.goal_note = goal.message;
  if (!goal.edited && !goal.message.empty()) setup.warnings.push_back(goal.message);
  if (auto good = loop::check_goal(goal.text); !good) {
    if (!goal.file.empty()) good.error().message += fmt::format(" (file '{}')", goal.file);
    return good;
  }
  if (setup.resumed) return {};
  if (is_goal_template(goal.text)) {
    return fail(Code::usage, fmt::format("{} is still the template of 'ralph init'", goal.file),
                "describe the goal in it");
  }
  if (const auto rest = goal_template_rest(goal.text); !rest.empty()) {
    setup.warnings.push_back(fmt::format(
        "{} still has text of the template of 'ralph init', which the agent gets too: \"{}\"",
        goal.file.empty() ? "the goal" : goal.file, rest));
  }
  return {};
}

/// What a loop sets for its agent unless the user did.
void set_loop_defaults(const config::Settings& settings, const Goal& goal, run::Request& request) {
  if (loop::can_be_protected(goal.path)) {
    std::error_code error;
    request.host.read_only = {std::filesystem::canonical(goal.path, error)};
  }
  if (!settings.given(Key::allowed_tools) && request.backend->can.tool_lists) {
    const auto tools = request.backend->tools.worker;
    request.ask.tools.assign(tools.begin(), tools.end());
  }
  if (!settings.given(Key::on_denial)) {
    request.denials_allowed = config::setting(Key::on_denial).loop_fallback == "continue";
  }
}

/// What --resume needs to work as this loop does.
void record_flags(const LoadedLoop& loaded, const std::string& config_file, loop::Setup& setup) {
  setup.flags = kept_flags(loaded.flags);
  if (!config_file.empty()) {
    setup.flags[kConfigFlag] = {std::filesystem::absolute(config_file).lexically_normal().native()};
  }
  const auto& host = setup.request.host;
  if (host.workspace != host.root()) setup.flags[kFolderOfLoop] = {host.workspace.native()};
  setup.settings = fixed_settings(loaded.settings.settings);
  setup.settings_before = loaded.before;
}

}  // namespace

Result<LoadedLoop> load_loop(const Arguments& arguments, StdOutput& output) {
  const bool accepts = arguments.flag("accept-changes");
  if (!accepts) TRY(check_obeyed(arguments.value("config"), nullptr));
  LoadedLoop loaded;
  loaded.flags = flags_of(arguments);
  TRY_ASSIGN(loaded.settings, load_settings(arguments.value("config"), loaded.flags));
  if (!arguments.flag("resume")) {
    const auto folder = folder_beside_settings(arguments.value("config"), loaded.settings.settings);
    if (folder.empty()) return loaded;
    loaded.flags.push_back({Key::cwd, {folder.native()}});
    TRY_ASSIGN(loaded.settings, load_settings(arguments.value("config"), loaded.flags));
    if (loaded.settings.settings.boolean(Key::quiet)) return loaded;
    note(fmt::format(
             "the loop works in '{}', where its settings are (use --cwd . for this directory)",
             folder.native()),
         output);
    return loaded;
  }
  const auto root = project_root_of(loaded.settings.settings.text(Key::cwd));
  store::LoopStateStore store(root, store::user_state_folder());
  using enum store::LoopStateStore::Source;
  TRY_ASSIGN(auto known, store.load(arguments.flag("accept-changes") ? workspace : trusted));
  if (known) loaded.state = std::move(known->state);
  // An agent may have written it, and what it names would be sent to the model.
  if (known && !known->trusted) loaded.state->goal_path.clear();
  if (!loaded.state) {
    return fail(Code::usage, "there is no loop to resume here", "start one: ralph loop GOAL.md");
  }
  if (auto folder = folder_of_start(*loaded.state, root, loaded.settings.settings);
      !folder.empty()) {
    loaded.flags.push_back({Key::cwd, {folder.native()}});
    loaded.from = std::move(folder);
  }
  std::vector<config::FlagValue> at_start;
  add_flags_of_start(loaded.state->flags, at_start);
  const auto config_file = config_file_of(arguments, loaded.state);
  TRY_ASSIGN(const auto before, load_settings(config_file, at_start, loaded.from));
  loaded.before = fixed_settings(before.settings);
  add_flags_of_start(loaded.state->flags, loaded.flags);
  TRY_ASSIGN(loaded.settings, load_settings(config_file, loaded.flags, loaded.from));
  return loaded;
}

Result<loop::Setup> make_loop_setup(const Arguments& arguments, const LoadedLoop& loaded,
                                    Masker& masker) {
  const auto& settings = loaded.settings.settings;
  TRY(check(settings));
  TRY_ASSIGN(auto invocation, invocation_of(settings));
  TRY_ASSIGN(const auto goal, read_goal(arguments, settings, invocation, loaded.state));
  loop::Setup setup;
  setup.resumed = loaded.state.has_value();
  setup.loop_id = setup.resumed ? loaded.state->loop_id : invocation.run_id;
  TRY(set_goal(goal, setup));
  setup.options = loop_options(settings);
  setup.options.accept_changes = arguments.flag("accept-changes");
  if (const auto& file = settings.text(Key::template_file); !file.empty()) {
    TRY_ASSIGN(setup.form, read_template(file));
  }
  invocation.instead_of_prompt = goal.text;
  TRY_ASSIGN(setup.request, run::make_request(settings, std::move(invocation), masker));
  setup.same_agent = loaded.state && loaded.state->backend == setup.request.backend->name;
  setup.request.notes = loaded.settings.notes;
  std::ranges::copy(loaded.settings.warnings, std::back_inserter(setup.warnings));
  set_loop_defaults(settings, goal, setup.request);
  const std::string config_file(config_file_of(arguments, loaded.state));
  record_flags(loaded, config_file, setup);
  const bool dry = arguments.flag("dry-run");
  if (setup.options.accept_changes && !dry) TRY(accept_obeyed(config_file, &settings, loaded.from));
  if (!setup.options.accept_changes || !dry) TRY(check_obeyed(config_file, &settings, loaded.from));
  watch_settings(config_file, settings, setup.request, loaded.from);
  setup.inputs = loop_inputs(setup.request, settings, setup.goal_file);
  if (dry) return setup;
  TRY(merge_direnv(setup));
  masker = masker_for(settings, setup.request.host.workspace_env);
  log_masker() = masker;
  TRY(run::check_secrets(setup.request, setup.options.allow_secrets, masker));
  return setup;
}

}  // namespace ralph::cli
