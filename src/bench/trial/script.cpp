#include "bench/trial/script.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/core.h>

#include "system/process/capture.h"
#include "system/process/environment.h"

namespace ralph::trial {
namespace {

constexpr std::string_view kKeptVariables[] = {"PATH", "HOME", "USER"};

/// The first `${NAME}` of each variable.
std::string filled(std::string text, const std::vector<config::Pair>& variables) {
  for (const auto& variable : variables) {
    const auto mark = fmt::format("${{{}}}", variable.name);
    if (const auto at = text.find(mark); at != std::string::npos) {
      text.replace(at, mark.size(), variable.value);
    }
  }
  return text;
}

Result<std::vector<process::EnvChange>> environment_of(const ScriptSpec& script,
                                                       const ScriptContext& context) {
  std::vector<process::EnvChange> changes;
  if (!context.whole_environment) {
    TRY_ASSIGN(const auto ours, process::changed_environment({}));
    for (const std::string_view entry : ours) {
      const auto name = entry.substr(0, entry.find('='));
      if (std::ranges::find(kKeptVariables, name) == std::end(kKeptVariables)) {
        changes.push_back({std::string(name), std::nullopt});
      }
    }
  }
  for (const auto* pairs : {&context.variables, &script.env}) {
    for (const auto& pair : *pairs) changes.push_back({pair.name, pair.value});
  }
  return changes;
}

}  // namespace

Result<> run_script(const ScriptSpec& script, const ScriptContext& context) {
  auto line = script.command;
  for (const auto& word : script.args) line += " " + filled(word, context.variables);
  process::Command command;
  command.argv = {"/bin/sh", "-c", line};
  command.cwd = script.working_dir.empty() ? context.folder : context.folder / script.working_dir;
  TRY_ASSIGN(command.env, environment_of(script, context));
  TRY_ASSIGN(const auto ran,
             process::capture(command, {.wall = script.timeout}, context.stop, context.on_output));
  if (ran.ok()) return {};
  if (ran.exit.ended_by == process::EndedBy::wall) {
    return fail(Code::limit, fmt::format("Script timed out after {}ms", script.timeout.count()));
  }
  if (ran.exit.ended_by == process::EndedBy::stop_request) {
    return fail(Code::unavailable, "Script was stopped");
  }
  if (ran.exit.signal) {
    return fail(Code::unavailable, fmt::format("Script was ended by signal {}", *ran.exit.signal));
  }
  return fail(Code::unavailable, fmt::format("Script exited with code {}", *ran.exit.exit_code));
}

}  // namespace ralph::trial
