#include <csignal>
#include <string>

#include <fmt/core.h>

#include "cli/command.h"
#include "cli/failure.h"
#include "cli/loop_look.h"
#include "system/process/signal.h"

namespace ralph::cli {
namespace {

Error nobody_to_stop(const LoopLook& look) {
  const auto message = fmt::format("no loop is running in '{}'", look.folder.native());
  if (!look.holder) return {Code::not_found, message, "--cwd names the folder of another one"};
  if (look.holder->pid == 0) {
    return {Code::not_found, message + ", but another program holds the lock",
            "'fuser .ralph/lock' may name it"};
  }
  return {Code::not_found,
          fmt::format("{}, but '{}' (pid {})", message, look.holder->what, look.holder->pid),
          "only a loop can be stopped this way"};
}

Result<> stop_now(const LoopLook& look) {
  const auto pid = look.holder->pid;
  if (pid <= 0) {
    return fail(Code::unavailable, "the kernel does not say which process the loop is",
                "it runs in another container: stop it there, or leave --now out");
  }
  const auto lock = store::Workspace::at(look.folder).lock_file();
  return process::signal_process(static_cast<pid_t>(pid), SIGTERM, [&] {
    const auto holder = store::Lock::holder(lock);
    return holder && holder->pid == pid;
  });
}

Result<> stop(const Arguments& arguments, StdOutput& output) {
  TRY_ASSIGN(const auto folder, folder_of(arguments));
  TRY_ASSIGN(const auto look, look_at_loop(folder, output));
  if (!look.runs()) return std::unexpected(nobody_to_stop(look));
  if (arguments.flag("now")) {
    TRY(stop_now(look));
    output.out("the loop is ending now; 'ralph loop --resume' goes on where it was\n");
    return {};
  }
  TRY(loop::StateFiles(folder).ask_to_stop());
  const bool waits = look.state && look.state->status == loop::LoopStatus::waiting;
  output.out(waits ? "the loop ends now: it waits, and no iteration is running\n"
                   : "the loop ends after this iteration; 'ralph stop --now' ends it at once\n");
  return {};
}

int stop_command(const Arguments& arguments, StdOutput& output) {
  const auto stopped = stop(arguments, output);
  return stopped ? 0 : report(stopped.error(), output);
}

constexpr Option kOptions[] = {
    {"--now", "", "at once, in the middle of the iteration"},
    kCwdOption,
};
constexpr Example kExamples[] = {
    {"ralph stop", "after the iteration it is at"},
    {"ralph stop --now --cwd ../project", "at once; nothing of the agent is left running"},
};

}  // namespace

constinit const Command kStopCommand{
    "stop",
    "stop the loop of a folder",
    "Asks the loop that runs there to end: after its iteration, or now. 'ralph loop --resume' goes "
    "on.\n"
    "Exit codes: 0 it was asked, 2 no loop is running there.",
    {},
    kOptions,
    kExamples,
    stop_command,
};

}  // namespace ralph::cli
