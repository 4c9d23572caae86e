#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "harness/backend/plan.h"
#include "core/base/file.h"
#include "core/base/names.h"
#include "cli/command.h"
#include "cli/demo_stage.h"
#include "cli/demo_story.h"
#include "cli/environment.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "mock/server.h"
#include "system/process/environment.h"

namespace ralph::cli {
namespace {

namespace fs = std::filesystem;

constexpr Millis kThinking{80};  // before each answer of the model, on a terminal
constexpr unsigned kReadable = 0644;

/// How the user calls this very program: "ralph", unless that is another one.
std::string name_of(const fs::path& executable) {
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

/// The show, scene by scene.
class Demo {
 public:
  Demo(DemoStage& stage, fs::path executable)
      : stage_(stage), executable_(std::move(executable)), ralph_(name_of(executable_)) {}

  Result<> show() {
    TRY(show_the_bug());
    TRY(let_ralph_repair_it());
    TRY(show_the_repair());
    show_where_to_look();
    return {};
  }

 private:
  /// A command as the user would type it, which must end as the story has it.
  Result<> type(std::string_view line, const std::vector<std::string>& argv, int expected = 0) {
    stage_.show_command(line);
    TRY_ASSIGN(const int code, stage_.run(argv));
    if (code == expected || stage_.over()) return {};
    return fail(Code::internal, fmt::format("'{}' ended with exit code {}", line, code),
                fmt::format("what it left is in '{}'", stage_.folder().native()));
  }

  Result<> show_the_bug() {
    stage_.say(fmt::format("A small program in a git repository of its own, {}",
                           stage_.project().native()));
    TRY(type(fmt::format("cat {}", kDemoProgram), {"cat", std::string(kDemoProgram)}));
    stage_.say("Its test fails:");
    return run_test(1);
  }

  Result<> let_ralph_repair_it() {
    TRY_ASSIGN(const auto model, start_model(stage_));
    stage_.set("ANTHROPIC_BASE_URL", model->url());
    stage_.set("ANTHROPIC_API_KEY", "demo-key");
    stage_.say(
        "ralph lets an agent repair it, and believes it only when the test passes. Agent, tools, "
        "git and test are\n"
        "# real; the model's words come from a script on this machine.");
    const auto line = fmt::format("loop {} -b builtin --model sonnet --commit --verify 'sh {}'",
                                  kDemoGoal, kDemoTest);
    const auto* const as_root = ::geteuid() == 0 ? "IS_SANDBOX=1 " : "";
    return type(fmt::format("{}{} {}", as_root, ralph_, line),
                {executable_.native(), "loop", std::string(kDemoGoal), "-b", "builtin", "--model",
                 "sonnet", "--commit", "--verify", fmt::format("sh {}", kDemoTest)});
  }

  Result<> show_the_repair() {
    stage_.say("The first DONE was refused, the second one is true:");
    TRY(run_test(0));
    stage_.say("Every iteration is a commit:");
    TRY(type("git log --oneline", {"git", "log", "--oneline"}));
    const auto start = fmt::format("HEAD~{}", kDemoIterations);
    TRY(type("git diff " + start, {"git", "diff", start}));
    stage_.say("What it took, at any time and from any terminal:");
    return type(ralph_ + " status", {executable_.native(), "status"});
  }

  void show_where_to_look() {
    stage_.say("Nothing is left running, and the folder stays. Look closer:");
    stage_.show_command("cd " + shell_word(stage_.project().native()));
    if (const auto log = log_of(kDemoRefused); !log.empty()) {
      stage_.show_command(fmt::format("{} replay -v {}", ralph_, shell_word(log)));
    }
    stage_.show_command("git log -p");
    // The record of the loop is in the home of the demo.
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
        fmt::format("ralph: stopped; what there is so far is in {}\n", stage->folder().native()));
    return 128 + signal_number;
  }
  return shown ? 0 : report(shown.error(), output);
}

constexpr Option kOptions[] = {
    {"--keep", "DIR",
     "work in DIR, which must be new or empty; without it: a new folder in TMPDIR"},
};
constexpr Example kExamples[] = {
    {"ralph demo", "what ralph is for, in two seconds: no key, no network"},
    {"ralph demo --keep /tmp/shop && cd /tmp/shop/shop && git log -p",
     "and a look at what it left"},
};

}  // namespace

constinit const Command kDemoCommand{
    "demo",
    "show what ralph does, offline: a bug, a wrong repair that is refused, the right one",
    "Makes a small git repository with a failing test in a scratch folder and runs 'ralph loop' on "
    "it\nwith our own agent. The agent, its tools, git and the verification are real, only the "
    "model is a script\n(as 'ralph mock' plays them). Your settings and keys are not used, nothing "
    "outside of the folder is\nwritten; the folder stays. Needs git.",
    {},
    kOptions,
    kExamples,
    demo_command,
};

}  // namespace ralph::cli
