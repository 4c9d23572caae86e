#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/tool/background.h"
#include "agent/tool/bash_answer.h"
#include "agent/tool/bash_command.h"
#include "agent/tool/bash_confinement.h"
#include "agent/tool/bash_environment.h"
#include "agent/tool/bash_heuristics.h"
#include "agent/tool/builtin_tools.h"
#include "agent/tool/input.h"
#include "core/base/id.h"
#include "core/base/number.h"
#include "core/json/field.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr Millis kUsualTimeout{120'000};
constexpr Millis kLongestTimeout{999'999'999};
constexpr Millis kLongestSleep{30'000};
constexpr std::size_t kUsualShown = 30'000;
constexpr std::size_t kMostShown = 150'000;

constexpr std::string_view kBashDescription =
    R"(Runs a command line with bash and returns what it prints, stdout and stderr together in order, and its exit code if it failed.

- Each call is a new shell without terminal and with empty stdin: programs that ask questions fail, so pass their answers as options (-y, --no-edit, -m). Variables, functions and options are lost after the call. The working directory is kept: `cd` applies to later calls as long as it stays inside the working directories.
- Quote paths that contain spaces. Prefer `a && b` to separate calls when b needs a; send independent commands as several calls in one message.
- To read, search and change files use the dedicated tools, where available: their results are shorter and safer.
- The call returns when the shell ends. Processes it left running with `&` are ended then.
- Long output is saved to a file; you see its beginning and its end. Search the file instead of reading all of it.
)";

constexpr std::string_view kTimeLimit =
    "- `timeout` is in milliseconds (usually 120000). A command that is not done by then is ended.";
constexpr std::string_view kInBackground =
    R"(- For servers, watchers and anything that takes minutes set run_in_background: you get an id and a file with the output, and a message when it ends. Do not poll with sleep.
- `timeout` is in milliseconds (usually 120000). A command that is not done by then continues in the background if possible, otherwise it is ended.)";

constexpr std::string_view kBashSchema =
    R"({"type":"object","properties":{)"
    R"("command":{"type":"string","description":"The command line for bash; may have several lines"},)"
    R"("timeout":{"type":"number","description":"Milliseconds the command may take"},)"
    R"("description":{"type":"string","description":"What the command does, in five to ten words"},)";
constexpr std::string_view kBackgroundProperty =
    R"("run_in_background":{"type":"boolean","description":"Return at once and let the command run; a message tells you when it ends"},)";
constexpr std::string_view kEndOfSchema =
    R"("dangerouslyDisableSandbox":{"type":"boolean","description":"Ask for the command to run outside the sandbox"})"
    R"(},"required":["command"],"additionalProperties":false})";

/// A parsed call.
struct Call {
  std::string text;
  std::string description;
  Millis timeout{0};
  bool in_background = false;
};

std::optional<std::int64_t> positive_variable(const Workspace& workspace, std::string_view name) {
  const auto value = parse_number<std::int64_t>(workspace.variable(name));
  return value && *value > 0 ? value : std::nullopt;
}

Millis timeout_of(const json::Document& input, const Workspace& workspace) {
  double asked = json::number(input, "timeout").value_or(0);
  const auto usual = positive_variable(workspace, "BASH_DEFAULT_TIMEOUT_MS");
  if (!(asked >= 1)) asked = static_cast<double>(usual.value_or(kUsualTimeout.count()));
  const auto most = positive_variable(workspace, "BASH_MAX_TIMEOUT_MS");
  const auto longest = std::min(most.value_or(kLongestTimeout.count()), kLongestTimeout.count());
  return Millis{static_cast<std::int64_t>(std::min(asked, static_cast<double>(longest)))};
}

std::size_t shown_of(const Workspace& workspace) {
  const auto asked = positive_variable(workspace, "BASH_MAX_OUTPUT_LENGTH");
  if (!asked) return kUsualShown;
  return std::min(static_cast<std::size_t>(*asked), kMostShown);
}

bool background_possible(const Workspace& workspace) {
  return workspace.setup().background && workspace.setup().tasks != nullptr;
}

Call read_call(const json::Document& input, const Workspace& workspace) {
  return {json::text(input, "command"), json::text(input, "description"),
          timeout_of(input, workspace),
          flag_of(input, "run_in_background") && background_possible(workspace)};
}

std::optional<Outcome> refusal(const Call& call, const Workspace& workspace) {
  if (call.text.find('\0') != std::string::npos) {
    return misuse("The command contains a NUL byte, which no program can be given. Remove it.");
  }
  const auto sleep = standalone_sleep(call.text);
  if (sleep < kLongestSleep || call.in_background || !background_possible(workspace)) {
    return std::nullopt;
  }
  return misuse(fmt::format(
      "Blocked: standalone sleep {}. Run what you wait for with run_in_background: you are "
      "notified when it ends. Or check for it in a loop with short pauses.",
      sleep.count() / 1000));
}

bool is_existing_directory(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

std::string reset_note(const Workspace& workspace) {
  return fmt::format("Shell cwd was reset to {}", workspace.cwd().string());
}

/// If the working directory no longer exists, changes to the root and returns a note about it.
std::string leave_missing_directory(Workspace& workspace) {
  if (is_existing_directory(workspace.cwd())) return {};
  workspace.change_to(workspace.setup().root);
  return reset_note(workspace);
}

/// Makes the shell's last directory the working directory. Returns a note if that is not possible.
std::string adopt_directory(Workspace& workspace, const fs::path& before, const fs::path& last) {
  if (last.empty() || last == before) return leave_missing_directory(workspace);
  if (!workspace.change_to(last)) return reset_note(workspace);
  return {};
}

fs::path task_file(const Workspace& workspace, std::string_view id) {
  const auto folder = workspace.setup().output_folder / ".." / "tasks";
  return folder.lexically_normal() / (std::string(id) + ".output");
}

/// The state of a running call.
struct Running {
  Call call;
  std::string id;
  fs::path folder;
  std::unique_ptr<BashCommand> command;
};

BackgroundTask task_of(const Running& running, const Workspace& workspace) {
  return {running.id,
          {},
          running.call.description.empty() ? running.call.text : running.call.description,
          task_file(workspace, running.id)};
}

Outcome start_in_background(Running running, Workspace& workspace) {
  auto& tasks = *workspace.setup().tasks;
  const auto task = task_of(running, workspace);
  if (const auto moved = running.command->output().move_to(task.output_file); !moved) {
    return failure("The command was not moved to the background: " + describe(moved.error()));
  }
  tasks.adopt(task, std::move(running.command));
  return answer_background(task, tasks.longest());
}

Outcome end_timed_out(Running& running, Workspace& workspace) {
  running.command->end();
  running.command->wait(SteadyTime::max(), {});
  const auto note = leave_missing_directory(workspace);
  return answer_timed_out(*running.command, running.call.timeout, note);
}

Outcome handle_timeout(Running running, Workspace& workspace) {
  const auto names = command_names(running.call.text);
  const bool sleeps = !names.empty() && names.front() == "sleep";
  if (sleeps || !background_possible(workspace)) return end_timed_out(running, workspace);
  const auto task = task_of(running, workspace);
  if (!running.command->output().move_to(task.output_file))
    return end_timed_out(running, workspace);
  auto& tasks = *workspace.setup().tasks;
  auto outcome = answer_moved(*running.command, task, running.call.timeout, tasks.longest());
  tasks.adopt(task, std::move(running.command));
  return outcome;
}

Outcome wait_for_result(Running running, Workspace& workspace, SteadyTime deadline,
                        const std::stop_token& stop, std::string_view note) {
  BashCommand& command = *running.command;
  switch (command.wait(deadline, stop)) {
    case BashCommand::Waited::deadline: return handle_timeout(std::move(running), workspace);
    case BashCommand::Waited::stop:
      command.end();
      command.wait(SteadyTime::max(), {});
      return answer_interrupted(command.output());
    case BashCommand::Waited::ended: break;
  }
  const auto moved_note = adopt_directory(workspace, running.folder, command.final_folder());
  return answer_ended(command, running.call.text, moved_note.empty() ? note : moved_note);
}

Outcome deny_unenforceable(const Call& call, const Error& error) {
  auto text = fmt::format("'{}' is not permitted, and this session cannot ask for permission: {}",
                          call.text, describe(error));
  auto outcome = failure(text);
  outcome.denied = std::move(text);
  return outcome;
}

/// Returns the failure; nullopt: started.
std::optional<Outcome> start(Running& running, Grant grant, const Workspace& workspace) {
  std::optional<ScratchFolder> scratch;
  if (grant != Grant::user) {
    auto made = ScratchFolder::make();
    if (!made) return deny_unenforceable(running.call, made.error());
    scratch.emplace(*std::move(made));
  }
  auto confinement = confinement_of(grant, workspace, scratch ? scratch->path() : fs::path());
  if (!confinement) return deny_unenforceable(running.call, confinement.error());
  auto support = workspace.setup().support;
  if (*confinement) {
    if (!support) support = process::support_for(**confinement);
    const auto mechanism = process::mechanism_for(**confinement, *support);
    if (!mechanism) return deny_unenforceable(running.call, mechanism.error());
  }
  auto started =
      BashCommand::start({running.call.text, running.folder, command_environment(workspace),
                          workspace.setup().output_folder / (running.id + ".txt"),
                          shown_of(workspace), *std::move(confinement), support});
  if (!started) return failure(describe(started.error()));
  if (scratch) scratch->release();
  running.command = *std::move(started);
  return std::nullopt;
}

class Bash final : public Tool {
 public:
  explicit Bash(bool background)
      : description_(
            fmt::format("{}{}", kBashDescription, background ? kInBackground : kTimeLimit)),
        schema_(fmt::format("{}{}{}", kBashSchema, background ? kBackgroundProperty : "",
                            kEndOfSchema)) {}
  std::string_view name() const override { return "Bash"; }
  std::string_view description() const override { return description_; }
  std::string_view schema() const override { return schema_; }
  bool is_parallel(const json::Document& input) const override {
    const auto command = json::text(input, "command");
    return permission::only_reads(command) && permission::stays_in_folder(command);
  }

  Access access(const json::Document& input, const Workspace& workspace) const override {
    return {Access::Kind::run, {}, json::text(input, "command"), workspace.cwd()};
  }

  Outcome run(const json::Document& input, const Access& access, Workspace& workspace,
              const std::stop_token& stop) const override {
    Running running{read_call(input, workspace), "b" + random_hex(4), {}, nullptr};
    if (auto refused = refusal(running.call, workspace)) return *std::move(refused);
    if (stop.stop_requested()) return answer_interrupted(BashOutput({}, 0));
    const auto deadline = std::chrono::steady_clock::now() + running.call.timeout;
    const auto note = leave_missing_directory(workspace);
    // The directory of the decision, even if another call left it. If it is gone, names mean other
    // files.
    if (access.grant == Grant::editing && !is_existing_directory(access.cwd)) {
      return failure(fmt::format("The working directory {} no longer exists; nothing was run. {}",
                                 access.cwd.string(), reset_note(workspace)));
    }
    running.folder = is_existing_directory(access.cwd) ? access.cwd : workspace.cwd();
    if (auto failed = start(running, access.grant, workspace)) return *std::move(failed);
    if (running.call.in_background) return start_in_background(std::move(running), workspace);
    return wait_for_result(std::move(running), workspace, deadline, stop, note);
  }

 private:
  std::string description_, schema_;
};

}  // namespace

const Tool& bash_tool() {
  static const Bash bash(true);
  return bash;
}

const Tool& foreground_bash_tool() {
  static const Bash bash(false);
  return bash;
}

}  // namespace ralph::tool
