#include <atomic>
#include <csignal>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/loop_dry_run.h"
#include "cli/loop_facts.h"
#include "cli/loop_setup.h"
#include "cli/reader_watch.h"
#include "cli/run_settings.h"
#include "cli/std_output.h"
#include "cli/stop_signals.h"
#include "core/base/names.h"
#include "harness/loop/run_loop.h"
#include "harness/run/run.h"
#include "harness/run/tool_checks.h"
#include "harness/store/loop_state_store.h"
#include "harness/stream/stop_cause.h"
#include "ui/console/figures.h"
#include "ui/console/loop_json.h"
#include "ui/console/loop_report.h"
#include "ui/console/loop_view.h"

namespace ralph::cli {
namespace {

using config::Key;

/// The first Ctrl-C lets the iteration end; anything more ends it now.
void take_signal(int signal_number, loop::Control& control, const store::LoopStateFiles& files,
                 StdOutput& output) {
  const bool waiting = control.waiting();
  if (signal_number == SIGINT && !control.stop(signal_number)) {
    const bool terminal = ::isatty(STDERR_FILENO) == 1;
    write_if_possible(
        STDERR_FILENO,
        fmt::format("{}ralph: SIGINT: the loop stops{}\n",
                    terminal ? "\r\x1b[K" : console::clock_time(now_utc()) + " ",
                    waiting ? "" : " after this iteration; press Ctrl-C again to stop it now"));
    // For 'ralph status'; the loop goes by the signal.
    std::ignore = files.ask_to_stop();
    return;
  }
  output.set_drain_timeout(kSignalDrainTimeout);
  const bool by_command = signal_number == SIGTERM && files.stop_announced();
  control.stop_now(by_command ? stream::StopCause::stop_now_command() : signal_number);
}

int report_start_error(const Error& error, stream::ErrorSource source, bool json,
                       StdOutput& output) {
  report(error, output);
  const int exit_code = stream::row(stream::outcome_of(error.code, source)).exit_code;
  if (json)
    output.out(console::masked_step(console::start_error_step(error, exit_code), log_masker()) +
               "\n");
  return exit_code;
}

int work(loop::Setup setup, const config::Settings& settings, const Masker& masker,
         StdOutput& output) {
  const bool json = settings.boolean(Key::json);
  console::LoopView::Options options;
  options.console = console_options(json ? console::Verbosity::quiet : verbosity_of(settings));
  options.console.agent_name = setup.request.agent_name;
  options.console.endpoint = run::model_endpoint(*setup.request.backend, setup.request.host);
  options.console.hints = false;  // the loop itself does something about it
  options.console.agent_budget = false;
  options.json = json;
  options.facts = facts_of(setup);
  if (settings.given(Key::cwd)) {
    options.resume += " --cwd " + shell_word(setup.request.host.workspace.native());
  }
  if (settings.origin(Key::env).kind == config::Origin::Kind::flag) {
    options.resume_note = "repeat --env: its values are not stored";
  }
  options.stamp_out = ::isatty(1) == 0;
  options.stamp_err = options.stamp_out && options.console.one_screen;
  options.max_iterations = setup.options.budget.iterations;
  options.max_cost_usd = setup.options.budget.cost_usd;
  const store::LoopStateFiles files(setup.request.host.root());
  loop::Control control;
  const StopSignals signals(
      [&](int signal_number) { take_signal(signal_number, control, files, output); });
  // A closed terminal sends SIGHUP, which may be ignored (nohup).
  std::atomic<bool> reader_gone = false;
  const ReaderWatch reader(::isatty(STDOUT_FILENO) == 1 ? -1 : STDOUT_FILENO, [&] {
    reader_gone = true;
    output.set_drain_timeout(kSignalDrainTimeout);
    control.stop_now(SIGPIPE);
  });
  console::LoopView view(options, masker, output);
  const auto report_of_loop = loop::run_loop(std::move(setup), view, control, masker);
  if (report_of_loop.start_error)
    return report_start_error(*report_of_loop.start_error, stream::ErrorSource::run, json, output);
  if (report_of_loop.restored_loop.empty() && !report_of_loop.nothing_ran) {
    // For 'ralph status --report'; it is shown now all the same.
    std::ignore = files.save_report(report_of_loop.loop_id, view.report_text(report_of_loop));
  }
  view.finish(report_of_loop);
  if (reader_gone && report_of_loop.reason == store::StopReason::stopped) {
    warn(fmt::format("stdout was closed, so the loop was stopped; to resume: {}",
                     masker.mask(console::resume_line(report_of_loop, now_utc(), options.resume))),
         output);
  }
  return report_of_loop.exit_code;
}

int loop_command(const Arguments& arguments, StdOutput& output) {
  auto loaded = load_loop(arguments, output);
  using stream::ErrorSource;
  if (!loaded) {
    return report_start_error(loaded.error(), ErrorSource::command, arguments.flag("json"), output);
  }
  const auto& settings = loaded->settings.settings;
  auto masker = masker_for(settings);
  log_masker() = masker;
  auto setup = make_loop_setup(arguments, *loaded, masker);
  const bool json = settings.boolean(Key::json);
  if (!setup) return report_start_error(setup.error(), ErrorSource::run, json, output);
  if (arguments.flag("print-prompt")) return print_prompt(*setup, masker, output);
  if (!setup->same_agent) note_own_agent(settings, setup->request, output);
  if (arguments.flag("dry-run")) {
    const auto shown = show_loop_dry_run(*setup, settings, masker, output);
    return shown ? 0 : report_start_error(shown.error(), ErrorSource::run, json, output);
  }
  return work(*std::move(setup), settings, masker, output);
}

constexpr Positional kLoopPositionals[] = {
    {"GOAL.md",
     "the file that describes the goal; where it exists (other than as the template of 'ralph "
     "init'), -p TEXT is refused",
     Need::optional},
};
constexpr Option kLoopOptions[] = {
    {"--resume", "", "continue the last loop of this directory with its settings"},
    {"--dry-run", "", "show what the loop would do without starting it"},
    {"--print-prompt", "", "show the prompt of the next iteration without starting it"},
    {"--accept-changes",
     "",
     "with --resume: accept the current settings, verification commands and files of the loop",
     {},
     true},
    {"--config", "FILE", "use this file instead of ralph.yml or .ralph/config.yml"},
};
constexpr Example kLoopExamples[] = {
    {"ralph loop GOAL.md --max-cost 5 --verify 'make test'",
     "until DONE is verified, for at most $5"},
    {"ralph loop -p 'Make the tests pass' --commit --max-iterations 20",
     "without a GOAL.md; a commit per iteration"},
    {"ralph loop --resume", "after Ctrl-C, a crash or a limit"},
};

}  // namespace

constinit const Command kLoopCommand{
    "loop",
    "run an agent repeatedly until a goal is reached",
    "Starts the agent again and again, each time with a fresh session, the goal, what was done so "
    "far\nand what verification said. Ends when the agent says DONE and verification agrees, or at "
    "a "
    "limit.\nState is in .ralph/state: 'ralph status' shows it, 'ralph tell' adds guidance, 'ralph "
    "stop' ends it.\n"
    "Exit codes: 0 done, 1 the agent failed, 2 bad usage, 3 not installed or not logged in,\n4 "
    "tampered with, 6 a limit was reached, 8 disk, 9 another ralph is running here; stopped: 129 "
    "by "
    "SIGHUP,\n130 by Ctrl-C, 141 because stdout was closed, 143 by SIGTERM.",
    kLoopPositionals,
    kLoopOptions,
    kLoopExamples,
    loop_command,
    "AGENT ARGUMENTS",
    loop_setting_options,
};

}  // namespace ralph::cli
