#include "harness/run/run.h"

#include <string>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/dry_run.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "cli/run_settings.h"
#include "cli/std_output.h"
#include "cli/stop_signals.h"
#include "core/model/model.h"
#include "harness/run/tool_checks.h"
#include "ui/console/console.h"
#include "ui/console/json_lines.h"

namespace ralph::cli {
namespace {

using config::Key;

/// Reports a run that did not start: on stderr, and with --json as a result event.
struct StartErrorReporter {
  bool json;
  Masker masker;
  StdOutput& output;
  std::string run_id = {};

  int operator()(stream::Outcome outcome, const Error& error) const {
    report(error, output);
    const auto& row = stream::row(outcome);
    if (json) {
      stream::RunResult result;
      const auto why = describe(error);
      result.status = row.status;
      result.outcome = row.name;
      result.why = why;
      result.headline = error.message;
      result.hint = error.hint;
      stream::Event event;
      event.seq = 1;
      event.run_id = run_id;
      event.what = result;
      console::JsonLines(masker, output).on_any(event);
    }
    return row.exit_code;
  }
  int operator()(const Error& error) const {
    return (*this)(stream::outcome_of(error.code, stream::ErrorSource::run), error);
  }
};

/// The first SIGINT asks the agent to stop; any other signal ends it.
void handle_run_signal(int signal_number, run::Control& control, StdOutput& output) {
  const bool asked = signal_number == SIGINT && control.ask(signal_number);
  if (!asked) {
    output.set_drain_timeout(kSignalDrainTimeout);
    return control.end(signal_number);
  }
  if (::isatty(2) == 1) {
    write_if_possible(2, "ralph: asked the agent to stop; press Ctrl-C again to end it now\n");
  }
}

int supervise(run::Request request, const config::Settings& settings, const Masker& masker,
              StdOutput& output) {
  const auto run_id = request.run_id;
  const bool json = settings.boolean(Key::json);
  auto options = console_options(json ? console::Verbosity::quiet : verbosity_of(settings));
  options.agent_name = request.agent_name;
  options.endpoint = run::model_endpoint(*request.backend, request.host);
  const auto models = request.models;
  stream::Summary summary(models);
  console::Console console(options, masker, summary, output);
  console::JsonLines json_lines(masker, output);
  run::RunObservers observers{summary,
                              {&console},
                              [&] { output.flush(); },
                              [&](Millis patience) { output.set_drain_timeout(patience); }};
  if (json) observers.handlers.push_back(&json_lines);

  run::Control control;
  const StopSignals signals(
      [&](int signal_number) { handle_run_signal(signal_number, control, output); });
  const auto report_of_run = run::run(std::move(request), observers, control, masker);
  if (report_of_run.start_error) {
    const StartErrorReporter not_started{json, masker, output, run_id};
    return not_started(report_of_run.verdict.outcome, *report_of_run.start_error);
  }
  const int code = report_of_run.verdict.exit_code();
  if (output.dropped())
    warn("stdout was not read; the rest of the output is only in the raw log", output);
  if (!report_of_run.not_recorded) return code;
  const int not_recorded = report(*report_of_run.not_recorded, output);
  return code == 0 ? not_recorded : code;
}

int run_command(const Arguments& arguments, StdOutput& output) {
  StartErrorReporter not_started{arguments.flag("json"), Masker(environment()), output};
  const auto config_file = arguments.value("config");
  if (const auto seen = check_obeyed(config_file, nullptr); !seen) {
    return not_started(stream::Outcome::bad_config, seen.error());
  }
  auto loaded = load_settings(config_file, flags_of(arguments));
  if (!loaded) return not_started(stream::Outcome::bad_config, loaded.error());
  const auto& settings = loaded->settings;
  const bool json = settings.boolean(Key::json);
  const auto masker = masker_for(settings);
  log_masker() = masker;
  not_started.json = json;
  not_started.masker = masker;
  auto invocation = invocation_of(settings);
  if (!invocation) return not_started(stream::Outcome::bad_usage, invocation.error());
  invocation->continue_session = arguments.flag("continue");
  invocation->resume = arguments.value("resume");
  not_started.run_id = invocation->run_id;
  auto request = run::make_request(settings, *std::move(invocation), masker);
  if (!request) return not_started(request.error());
  request->notes = loaded->notes;
  request->warnings.insert(request->warnings.end(), loaded->warnings.begin(),
                           loaded->warnings.end());
  note_own_agent(settings, *request, output);
  watch_settings(config_file, settings, *request);
  if (!arguments.flag("dry-run")) return supervise(*std::move(request), settings, masker, output);
  const auto shown = show_dry_run(*std::move(request), json, masker, output);
  return shown ? 0 : not_started(shown.error());
}

constexpr Option kRunOptions[] = {
    {"--continue", "", "continue the stored session of this mode"},
    {"--resume", "ID", "continue the session with this ID"},
    {"--dry-run", "", "show the command line and the files of the run without starting it"},
    {"--config", "FILE", "use this file instead of ralph.yml or .ralph/config.yml"},
};
constexpr Example kRunExamples[] = {
    {"ralph run -p 'Fix the failing test'", "run once and stream to the console"},
    {"ralph run -P PROMPT.md --max-cost 2 --timeout 1h", "prompt from a file, with limits"},
    {"ralph run -P PROMPT.md --sandbox", "confined to this directory"},
    {"ralph run -p 'And now the docs' --continue", "continue the session of the last run"},
    {"ralph run -b custom --command 'aider --message {prompt}' -p 'Fix it'", "run any other agent"},
    {"ralph run -p 'Say hi' --json | jq -r 'select(.type == \"result\") | .text'", "for a script"},
};

}  // namespace

constinit const Command kRunCommand{
    "run",
    "run an agent once, supervised and logged",
    "Starts an agent CLI, shows what it does, saves all of its output in .ralph/, enforces the "
    "limits,\n"
    "reports how it ended and leaves no process of it behind.\n"
    "Exit codes: 0 success, 1 agent failed, 2 bad usage, 3 not installed or not logged in,\n"
    "4 tool denied, 5 rate limited, 6 limit reached, 7 timed out, 8 disk, 9 locked, 130 Ctrl-C.",
    {},
    kRunOptions,
    kRunExamples,
    run_command,
    "AGENT ARGUMENTS",
    run_setting_options,
};

}  // namespace ralph::cli
