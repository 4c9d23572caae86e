#include <csignal>
#include <string>
#include <tuple>

#include <fmt/core.h>

#include "cli/command.h"
#include "cli/failure.h"
#include "cli/loop_folder.h"
#include "harness/store/loop_state_files.h"
#include "system/process/signal.h"

namespace ralph::cli {
namespace {

Error no_running_loop(const console::LoopSnapshot& snapshot) {
  const auto message = fmt::format("no loop is running in '{}'", snapshot.folder.native());
  if (!snapshot.holder)
    return {Code::not_found, message, "use --cwd DIR for a loop in another directory"};
  if (snapshot.holder->pid == 0) {
    return {Code::not_found, message + ", but another program holds the lock",
            "'fuser .ralph/lock' may show its pid"};
  }
  return {Code::not_found,
          fmt::format("{}, but '{}' (pid {})", message, to_string(snapshot.holder->user),
                      snapshot.holder->pid),
          "only a loop can be stopped this way"};
}

Result<> stop_now(const console::LoopSnapshot& snapshot) {
  const auto pid = snapshot.holder->pid;
  if (pid <= 0) {
    return fail(Code::unavailable, "cannot find the process of the loop",
                "it may run in another container: stop it there, or omit --now");
  }
  std::ignore = store::LoopStateFiles(snapshot.folder).announce_stop();
  const auto lock = store::Workspace::at(snapshot.folder).lock_file();
  return process::signal_process(static_cast<pid_t>(pid), SIGTERM, [&] {
    const auto holder = store::Lock::holder(lock);
    return holder && holder->pid == pid;
  });
}

Result<> stop(const Arguments& arguments, StdOutput& output) {
  TRY_ASSIGN(const auto folder, folder_of(arguments));
  const auto snapshot = read_loop(folder, output);
  if (!snapshot.runs()) return std::unexpected(no_running_loop(snapshot));
  if (arguments.flag("now")) {
    TRY(stop_now(snapshot));
    output.out("the loop is stopping now; 'ralph loop --resume' continues it\n");
    return {};
  }
  TRY(store::LoopStateFiles(folder).ask_to_stop());
  const bool waits = snapshot.state && snapshot.state->status == store::LoopStatus::waiting;
  output.out(
      waits ? "the loop stops now: it was waiting between two iterations\n"
            : "the loop stops after this iteration; 'ralph stop --now' stops it immediately\n");
  return {};
}

int stop_command(const Arguments& arguments, StdOutput& output) {
  const auto stopped = stop(arguments, output);
  return stopped ? 0 : report(stopped.error(), output);
}

constexpr Option kStopOptions[] = {
    {"--now", "", "stop immediately, during the iteration"},
    kCwdOption,
};
constexpr Example kStopExamples[] = {
    {"ralph stop", "stop after the current iteration"},
    {"ralph stop --now --cwd ../project",
     "stop immediately; no process of the agent is left running"},
};

}  // namespace

constinit const Command kStopCommand{
    "stop",
    "stop the loop in a directory",
    "Stops the loop in the directory, after its iteration or now. 'ralph loop --resume' continues "
    "it.\n"
    "Exit codes: 0 the request was sent, 2 no loop is running there.",
    {},
    kStopOptions,
    kStopExamples,
    stop_command,
};

}  // namespace ralph::cli
