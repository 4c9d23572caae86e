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
#include "ui/console/console.h"
#include "ui/console/json_lines.h"

namespace ralph::cli {
namespace {

using config::Key;

constexpr Millis kPatienceOfASignal{1000};

/// A run that did not begin: said on stderr, and to a script as the result of a run.
int not_begun(stream::Outcome outcome, const Error& error, const std::string& run_id, bool json,
              const Masker& masker, StdOutput& output) {
  report(error, output);
  const auto& row = stream::row(outcome);
  if (json) {
    stream::RunResult result;
    const auto why = describe(error);
    result.status = row.status;
    result.outcome = row.name;
    result.why = why;
    stream::Event event;
    event.seq = 1;
    event.run_id = run_id;
    event.what = result;
    view::JsonLines(masker, output).on_any(event);
  }
  return row.exit_code;
}

/// The first Ctrl-C asks the agent to stop; anything more ends it.
void take_signal(int signal_number, run::Control& control, StdOutput& output) {
  const bool asked = signal_number == SIGINT && control.ask(signal_number);
  if (!asked) {
    output.hurry(kPatienceOfASignal);
    return control.end(signal_number);
  }
  if (::isatty(2) == 1) {
    write_if_possible(2, "ralph: asked the agent to stop; Ctrl-C again ends it now\n");
  }
}

int supervise(run::Request request, const config::Settings& settings, const Masker& masker,
              StdOutput& output) {
  const auto run_id = request.run_id;
  const bool json = settings.boolean(Key::json);
  auto options = console_options(json ? view::Verbosity::quiet : verbosity_of(settings));
  options.agent_name = request.agent_name;
  const auto models = request.models;
  stream::Summary summary(models);
  view::Console console(options, masker, summary, output);
  view::JsonLines json_lines(masker, output);
  run::Audience audience{summary,
                         {&console},
                         [&] { output.flush(); },
                         [&](Millis patience) { output.hurry(patience); }};
  if (json) audience.handlers.push_back(&json_lines);

  run::Control control;
  const StopSignals signals(
      [&](int signal_number) { take_signal(signal_number, control, output); });
  const auto report_of_run = run::run(std::move(request), audience, control, masker);
  if (report_of_run.not_begun) {
    return not_begun(report_of_run.verdict.outcome, *report_of_run.not_begun, run_id, json, masker,
                     output);
  }
  const int code = report_of_run.verdict.exit_code();
  if (output.dropped())
    warn("stdout was not read: the rest of the output is in the raw log only", output);
  if (!report_of_run.not_recorded) return code;
  const int not_recorded = report(*report_of_run.not_recorded, output);
  return code == 0 ? not_recorded : code;
}

int run_command(const Arguments& arguments, StdOutput& output) {
  const Masker plain(environment());
  const bool json = arguments.flag("json");
  const auto config_file = arguments.value("config");
  if (const auto seen = check_obeyed(config_file, nullptr); !seen) {
    return not_begun(stream::Outcome::bad_config, seen.error(), {}, json, plain, output);
  }
  auto loaded = load_settings(config_file, flags_of(arguments));
  if (!loaded)
    return not_begun(stream::Outcome::bad_config, loaded.error(), {}, json, plain, output);
  const auto& settings = loaded->settings;
  const auto masker = masker_for(settings);
  log_masker() = masker;
  auto invocation = invocation_of(settings);
  if (!invocation) {
    return not_begun(stream::Outcome::bad_usage, invocation.error(), {},
                     settings.boolean(Key::json), masker, output);
  }
  invocation->continue_session = arguments.flag("continue");
  invocation->resume = arguments.value("resume");
  const auto run_id = invocation->run_id;
  auto request = run::make_request(settings, *std::move(invocation), masker);
  if (!request) {
    return not_begun(run::outcome_of(request.error()), request.error(), run_id,
                     settings.boolean(Key::json), masker, output);
  }
  request->notes = loaded->notes;
  request->warnings.insert(request->warnings.end(), loaded->warnings.begin(),
                           loaded->warnings.end());
  note_own_agent(settings, *request, output);
  watch_settings(config_file, settings, *request);
  if (!arguments.flag("dry-run")) return supervise(*std::move(request), settings, masker, output);
  auto shown = show_dry_run(*std::move(request), settings.boolean(Key::json), masker, output);
  if (shown) return 0;
  return not_begun(run::outcome_of(shown.error()), shown.error(), run_id,
                   settings.boolean(Key::json), masker, output);
}

constexpr Option kOptions[] = {
    {"--continue", "", "go on with the stored session of this mode"},
    {"--resume", "ID", "go on with the session of this id"},
    {"--dry-run", "", "show the command line and the files of the run; start nothing"},
    {"--config", "FILE", "this file instead of ralph.yml or .ralph/config.yml"},
};
constexpr Example kExamples[] = {
    {"ralph run -p 'Fix the failing test'", "once, streaming to the console"},
    {"ralph run -P PROMPT.md --max-cost 2 --timeout 1h", "from a file, within a budget"},
    {"ralph run -P PROMPT.md --sandbox", "confined to this folder"},
    {"ralph run -p 'And now the docs' --continue", "in the session of the last run"},
    {"ralph run -b custom --command 'aider --message {prompt}' -p 'Fix it'", "any other command"},
    {"ralph run -p 'Say hi' --json | jq -r 'select(.type == \"result\") | .text'", "for a script"},
};

}  // namespace

constinit const Command kRunCommand{
    "run",
    "run an agent once: watched, logged, judged",
    "Starts an agent CLI, shows what it does, keeps every byte under .ralph/, enforces the "
    "limits,\n"
    "judges how it ended and leaves nothing of it behind.\n"
    "Exit codes: 0 ok, 1 agent failed, 2 bad usage, 3 not installed or not logged in, 4 a tool "
    "was\n"
    "denied, 5 rate limited, 6 a limit was reached, 7 timed out, 8 disk, 9 locked, 130 Ctrl-C.",
    {},
    kOptions,
    kExamples,
    run_command,
    "AGENT ARGUMENTS",
    false,
    run_setting_options,
};

}  // namespace ralph::cli
