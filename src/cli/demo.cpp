#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/demo_stage.h"
#include "cli/demo_story.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "core/base/file.h"
#include "core/base/names.h"
#include "harness/backend/plan.h"
#include "mock/server.h"
#include "system/process/environment.h"

namespace ralph::cli {
namespace {

namespace fs = std::filesystem;

constexpr Millis kThinking{80};  // delay of each answer of the model, on a terminal
constexpr unsigned kReadable = 0644;

/// How the user calls this program: "ralph", unless PATH has another one by that name.
std::string own_command_name(const fs::path& executable) {
  std::error_code error;
  const auto found = process::find_program("ralph", environment(), "/");
  const bool same = found && fs::equivalent(*found, executable, error) && !error;
  return same ? "ralph" : shell_word(executable.native());
}

Result<> need_git() {
  if (process::find_program("git", environment(), "/")) return {};
  return fail(Code::not_found, "the demo needs git, which is not installed",
              "install it, for example with 'apt-get install git'");
}

Result<std::unique_ptr<mock::Server>> start_model(const DemoStage& stage) {
  TRY_ASSIGN(auto scenario, mock::read_scenario(demo_scenario(), "the demo's scenario"));
  for (auto& step : scenario.steps) step.delay = stage.terminal() ? kThinking : Millis{0};
  return mock::Server::start(std::move(scenario), {0, stage.folder() / "requests.ndjson", {}});
}

Result<> make_project(DemoStage& stage) {
  for (const auto& file : demo_files()) {
    TRY(write_file_atomically(stage.project() / file.name, file.text, kReadable));
  }
  TRY(stage.prepare({"git", "-c", "init.defaultBranch=main", "init", "-q"}));
  TRY(stage.prepare({"git", "config", "user.name", "Demo"}));
  TRY(stage.prepare({"git", "config", "user.email", "demo@example.com"}));
  TRY(stage.prepare({"git", "add", "."}));
  return stage.prepare({"git", "commit", "-q", "-m", "A receipt"});
}

/// Runs and shows the demo, step by step.
class Demo {
 public:
  Demo(DemoStage& stage, fs::path executable)
      : stage_(stage), executable_(std::move(executable)), ralph_(own_command_name(executable_)) {}

  Result<> show() {
    TRY(show_the_bug());
    TRY(run_loop());
    TRY(show_the_fix());
    show_where_to_look();
    return {};
  }

 private:
  /// Shows a command as the user would type it and runs it; another exit code than `expected` is an error.
  Result<> type(std::string_view line, const std::vector<std::string>& argv, int expected = 0) {
    stage_.show_command(line);
    TRY_ASSIGN(const int code, stage_.run(argv));
    if (code == expected || stage_.over()) return {};
    return fail(Code::internal, fmt::format("'{}' ended with exit code {}", line, code),
                fmt::format("its files are in '{}'", stage_.folder().native()));
  }

  Result<> show_the_bug() {
    stage_.say(
        fmt::format("A small program in its own git repository, {}", stage_.project().native()));
    TRY(type(fmt::format("cat {}", kDemoProgram), {"cat", std::string(kDemoProgram)}));
    stage_.say("Its test fails:");
    return run_test(1);
  }

  Result<> run_loop() {
    TRY_ASSIGN(const auto model, start_model(stage_));
    stage_.set("ANTHROPIC_BASE_URL", model->url());
    stage_.set("ANTHROPIC_API_KEY", "demo-key");
    stage_.say(
        "ralph lets an agent fix it and accepts its DONE only when the test passes. Agent, tools, "
        "git and test are\n"
        "# real; the model's answers come from a script on this machine.");
    const auto line = fmt::format("loop {} -b builtin --model sonnet --commit --verify 'sh {}'",
                                  kDemoGoal, kDemoTest);
    const auto* const as_root = ::geteuid() == 0 ? "IS_SANDBOX=1 " : "";
    return type(fmt::format("{}{} {}", as_root, ralph_, line),
                {executable_.native(), "loop", std::string(kDemoGoal), "-b", "builtin", "--model",
                 "sonnet", "--commit", "--verify", fmt::format("sh {}", kDemoTest)});
  }

  Result<> show_the_fix() {
    stage_.say("Verification refused the first DONE; the second one is right:");
    TRY(run_test(0));
    stage_.say("Every iteration is a commit:");
    TRY(type("git log --oneline", {"git", "log", "--oneline"}));
    const auto start = fmt::format("HEAD~{}", kDemoIterations);
    TRY(type("git diff " + start, {"git", "diff", start}));
    stage_.say("The state of the loop, at any time and from any terminal:");
    return type(ralph_ + " status", {executable_.native(), "status"});
  }

  void show_where_to_look() {
    stage_.say("No process is left running, and the directory is kept. To look closer:");
    stage_.show_command("cd " + shell_word(stage_.project().native()));
    if (const auto log = log_of(kDemoRefused); !log.empty()) {
      stage_.show_command(fmt::format("{} replay -v {}", ralph_, shell_word(log)));
    }
    stage_.show_command("git log -p");
    // The state of the loop is in the HOME of the demo.
    stage_.show_command(
        fmt::format("HOME={} {} undo", shell_word((stage_.folder() / "home").native()), ralph_));
  }

  /// The raw log of an iteration, from 1.
  std::string log_of(std::size_t iteration) const {
    const fs::path folder = ".ralph/logs/builtin";
    std::vector<std::pair<fs::file_time_type, fs::path>> logs;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(stage_.project() / folder, error)) {
      if (entry.path().extension() == ".ndjson") {
        logs.emplace_back(entry.last_write_time(error), entry.path().filename());
      }
    }
    std::ranges::sort(logs);
    return iteration > logs.size() ? "" : (folder / logs[iteration - 1].second).native();
  }

  Result<> run_test(int expected) {
    return type(fmt::format("sh {}", kDemoTest), {"sh", std::string(kDemoTest)}, expected);
  }

  DemoStage& stage_;
  fs::path executable_;
  std::string ralph_;
};

Result<> demonstrate(DemoStage& stage) {
  TRY_ASSIGN(const auto executable, backend::own_executable());
  TRY(make_project(stage));
  return Demo(stage, executable).show();
}

int demo_command(const Arguments& arguments, StdOutput& output) {
  const StopSignals signals;
  if (const auto git = need_git(); !git) return report(git.error(), output);
  auto stage = DemoStage::make(fs::path(arguments.value("keep")), output, signals);
  if (!stage) return report(stage.error(), output);
  const auto shown = demonstrate(*stage);
  if (const int signal_number = signals.received(); signal_number != 0) {
    output.err(
        fmt::format("ralph: stopped; the files so far are in {}\n", stage->folder().native()));
    return 128 + signal_number;
  }
  return shown ? 0 : report(shown.error(), output);
}

constexpr Option kDemoOptions[] = {
    {"--keep", "DIR",
     "work in DIR, which must be new or empty (default: a new directory in TMPDIR)"},
};
constexpr Example kDemoExamples[] = {
    {"ralph demo", "a demonstration, without API key or network"},
    {"ralph demo --keep /tmp/shop && cd /tmp/shop/shop && git log -p", "and look at the commits"},
};

}  // namespace

constinit const Command kDemoCommand{
    "demo",
    "show offline how ralph gets a bug fixed and refuses a wrong fix",
    "Creates a small git repository with a failing test in a scratch directory and runs 'ralph "
    "loop' on\nit with ralph's own agent. The agent, its tools, git and the verification are real; "
    "only the model is\nscripted (like 'ralph mock'). Your settings and keys are not used, and "
    "nothing outside the directory is\nwritten. The directory is kept. Needs git.",
    {},
    kDemoOptions,
    kDemoExamples,
    demo_command,
};

}  // namespace ralph::cli
