#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "agent/settings/options.h"
#include "agent/settings/settings.h"
#include "agent/wire/hook_check.h"
#include "cli/command.h"
#include "cli/doctor_hooks.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "cli/run_settings.h"
#include "cli/std_output.h"
#include "core/base/utf8.h"
#include "core/json/writer.h"
#include "harness/run/checkup.h"
#include "ui/console/safe_text.h"

namespace ralph::cli {
namespace {

backend::Host host_of(const Result<config::Loaded>& settings) {
  backend::Host host;
  std::error_code error;
  host.workspace = std::filesystem::current_path(error);
  host.environment = environment();
  host.is_root = ::geteuid() == 0;
  host.project_root = project_root_of(host.workspace);
  if (!settings) return host;
  const auto asked = std::filesystem::canonical(settings->settings.text(config::Key::cwd), error);
  if (!error) {
    host.workspace = asked;
    host.project_root = project_root_of(asked);
  }
  for (const auto& pair : settings->settings.map(config::Key::env)) {
    host.own_env.push_back({pair.name, pair.value});
  }
  return host;
}

/// Without the prefix of the agent's messages on stderr.
std::string without_prefix(std::string text) {
  for (const std::string_view prefix : {"Error: ", "ralph: "}) {
    if (text.starts_with(prefix)) text.erase(0, prefix.size());
  }
  return text;
}

/// The settings of ralph's own agent, read as the agent does at its start.
struct AgentSettings {
  settings::Options options;
  settings::Settings settings;
};

Result<AgentSettings> read_agent_settings(const config::Settings& settings,
                                          const backend::Host& host) {
  std::vector<std::string> words{"-p", "x"};
  std::ranges::copy(settings.list(config::Key::extra_args), std::back_inserter(words));
  TRY_ASSIGN(auto options, settings::parse_options(words, false));
  TRY_ASSIGN(auto read, settings::read_settings(options, settings::Environment(host.environment),
                                                host.workspace));
  return AgentSettings{std::move(options), std::move(read)};
}

/// Checks them; `hooks` becomes the list of those in effect.
run::Check check_agent_settings(const Result<AgentSettings>& read,
                                std::vector<wire::HookLine>& hooks) {
  using Level = run::Check::Level;
  constexpr std::string_view kName = "agent settings";
  const auto refused = [&](const Error& error) {
    return run::Check{Level::blocks, kName, without_prefix(error.message), error.hint};
  };
  if (!read) return refused(read.error());
  const auto missing = settings::check_supported(read->settings, read->options);
  if (!missing) return refused(missing.error());
  auto listed = wire::list_hooks(read->settings, read->options);
  if (!listed) return refused(listed.error());
  hooks = std::move(listed->hooks);
  for (const auto& notes : {*missing, listed->notes}) {
    if (!notes.empty()) return {Level::warning, kName, without_prefix(notes.front()), {}};
  }
  const auto& notes = read->settings.notes;
  if (!notes.empty()) return {Level::note, kName, without_prefix(notes.front()), {}};
  return {Level::ok, kName, "valid", {}};
}

constexpr std::size_t kMessageColumn = 26;

/// The lines after the first begin in that column.
std::string indented(const std::string& text, std::size_t column) {
  std::string out;
  for (const char c : text) {
    out += c;
    if (c == '\n') out.append(column, ' ');
  }
  return out;
}

void print_checkup(const run::Checkup& checkup, const std::vector<wire::HookLine>& hooks,
                   const Masker& masker, StdOutput& output) {
  const auto shown = [&](const std::string& text) {
    return indented(masker.mask(console::safe_text(text)), kMessageColumn);
  };
  output.out("Agents:\n");
  if (checkup.agents.empty())
    output.out("  no known agent CLI is installed; ralph's own agent is available (builtin)\n");
  for (const auto& agent : checkup.agents) {
    const auto state = agent.problem.empty() ? agent.version : agent.problem;
    output.out(fmt::format("  {:<10} {}{}\n{:13}{}\n", agent.name, shown(state),
                           agent.driven ? "" : " (not supported by ralph yet)", "",
                           shown(agent.path)));
  }
  output.out("Checks:\n");
  for (const auto& check : checkup.checks) {
    output.out(fmt::format("  {:<8} {:<15} {}\n", to_string(check.level), check.name,
                           shown(check.message)));
    if (!check.hint.empty()) output.out(fmt::format("{:26}{}\n", "", shown(check.hint)));
  }
  output.out(hooks_text(hooks, masker));
  output.out(checkup.blocked() ? "A check blocks a run.\n" : "No check blocks a run.\n");
}

std::string check_json(const run::InstalledAgent& agent, const Masker& masker) {
  std::string out;
  json::ObjectWriter writer(out);
  writer.text("name", agent.name).text("path", utf8::repaired(agent.path));
  if (!agent.version.empty()) writer.text("version", masker.mask(agent.version));
  if (!agent.problem.empty()) writer.text("problem", agent.problem);
  writer.boolean("driven", agent.driven).close();
  return out;
}

std::string check_json(const run::Check& check, const Masker& masker) {
  std::string out;
  json::ObjectWriter writer(out);
  writer.text("name", check.name)
      .text("level", to_string(check.level))
      .text("message", masker.mask(utf8::repaired(check.message)));
  if (!check.hint.empty()) writer.text("hint", check.hint);
  writer.close();
  return out;
}

void print_checkup_json(const run::Checkup& checkup, const std::vector<wire::HookLine>& hooks,
                        const Masker& masker, StdOutput& output) {
  std::string agents = "[", checks = "[", out;
  for (const auto& agent : checkup.agents)
    agents += (agents.size() > 1 ? "," : "") + check_json(agent, masker);
  for (const auto& check : checkup.checks) {
    checks += (checks.size() > 1 ? "," : "") + check_json(check, masker);
  }
  json::ObjectWriter(out)
      .raw("agents", agents + "]")
      .raw("checks", checks + "]")
      .raw("hooks", hooks_json(hooks, masker))
      .boolean("blocked", checkup.blocked())
      .close();
  output.out(out + "\n");
}

int try_hook_of(const Result<config::Loaded>& settings, const backend::Host& host,
                std::string_view what, const Masker& masker, StdOutput& output) {
  if (!settings) return report(settings.error(), output);
  const auto read = read_agent_settings(settings->settings, host);
  if (!read) return report(read.error(), output);
  for (const auto& text : read->settings.notes) note(without_prefix(text), output);
  const settings::Environment variables(host.environment);
  return try_hook({read->settings, read->options, variables, host.workspace}, what, masker, output);
}

int doctor(const Arguments& arguments, StdOutput& output) {
  const auto request = load_request(arguments.value("config"));
  const auto settings = config::load(request);
  const auto host = host_of(settings);
  const auto masker = settings ? masker_for(settings->settings) : Masker(environment());
  if (const auto what = arguments.value("try-hook"); !what.empty()) {
    return try_hook_of(settings, host, what, masker, output);
  }
  std::vector<wire::HookLine> hooks;
  auto checkup = run::check_up(settings, host);
  if (settings && checkup.own_agent) {
    checkup.checks.push_back(
        check_agent_settings(read_agent_settings(settings->settings, host), hooks));
  }
  const auto seen =
      check_obeyed(request.config_file.native(), settings ? &settings->settings : nullptr);
  if (!seen) {
    checkup.checks.push_back(
        {run::Check::Level::blocks, "config", seen.error().message, seen.error().hint});
  }
  if (arguments.flag("json")) {
    print_checkup_json(checkup, hooks, masker, output);
  } else {
    print_checkup(checkup, hooks, masker, output);
  }
  return checkup.blocked() ? 1 : 0;
}

constexpr Option kDoctorOptions[] = {
    {"--config", "FILE", "use this file instead of ralph.yml or .ralph/config.yml"},
    {"--json", "", "print JSON"},
    {"--try-hook", "EVENT[:SUBJECT]",
     "run only the hooks of ralph's own agent for this event, and show what they answer"},
};
constexpr Example kDoctorExamples[] = {
    {"ralph doctor", "check everything that a run needs"},
    {"ralph doctor --json | jq '.checks[] | select(.level == \"blocks\")'", "for a script"},
    {"ralph doctor --try-hook PreToolUse:Bash", "what the hooks say to a call of Bash"},
};

}  // namespace

constinit const Command kDoctorCommand{
    "doctor",
    "check whether this machine can run an agent",
    "Checks what a run needs: installed agents and their versions, the credential, the "
    "configuration, the\n"
    "settings files of ralph's own agent, the workspace, disk space, git, ripgrep, the sandbox, "
    "and "
    "the\n"
    "connection to the model API (at most three seconds; nothing is sent).\n"
    "The exit code is 1 if a check blocks a run, otherwise 0.",
    {},
    kDoctorOptions,
    kDoctorExamples,
    doctor,
    {},
};

}  // namespace ralph::cli
