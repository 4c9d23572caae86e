#include "agent/hook/command_hook.h"

#include <utility>

#include <fmt/core.h>

#include "agent/hook/hook_output.h"
#include "system/process/child.h"
#include "system/process/supervise.h"

namespace ralph::hook {
namespace {

using process::EndedBy;

constexpr process::EndPolicy kEndPolicy{.grace = Millis{500}};

process::Sink bounded(std::string& kept) {
  return [&kept](std::string_view bytes) -> Result<> {
    const auto room = kMostOutput - kept.size();
    kept += bytes.substr(0, room);
    if (bytes.size() <= room) return {};
    return fail(Code::limit, fmt::format("it printed more than {} bytes", kMostOutput));
  };
}

std::string why_ended(const process::Exit& exit, Millis timeout) {
  switch (exit.ended_by) {
    case EndedBy::nothing: return {};
    case EndedBy::stop_request: return "it was interrupted";
    case EndedBy::sink_failure:
      return exit.sink_error ? exit.sink_error->message : "its output cannot be read";
    case EndedBy::guard_lost: return "its guard was killed";
    case EndedBy::wall:
    case EndedBy::silence:
    case EndedBy::after_end: break;
  }
  return fmt::format("still running after {}", format_duration(timeout));
}

}  // namespace

CommandRun run_hook_command(const std::string& command, std::string input, Millis timeout,
                            const HookPlace& place, const std::stop_token& stop) {
  CommandRun run;
  process::Command shell;
  shell.argv = {"/bin/sh", "-c", command};
  shell.cwd = place.cwd;
  shell.env = place.environment;
  shell.input = process::StdinText{std::move(input)};
  auto child = process::start(shell);
  if (!child) {
    run.ended = "it cannot be started: " + describe(child.error());
    return run;
  }
  process::RunHandle handle;
  handle.arm(process::Limit::wall, timeout);
  const auto exit = process::supervise(
      *std::move(child), {bounded(run.out), bounded(run.err), {}, {}}, handle, stop, kEndPolicy);
  run.duration = exit.duration;
  run.ended = why_ended(exit, timeout);
  run.cancelled = exit.ended_by == EndedBy::stop_request;
  if (run.ended.empty() && exit.read_error) run.ended = exit.read_error->message;
  if (run.ended.empty()) run.exit_code = exit.exit_code;
  return run;
}

}  // namespace ralph::hook
