#include "cli/init.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>

#include "cli/command.h"
#include "cli/failure.h"
#include "cli/options.h"
#include "cli/run_settings.h"
#include "cli/std_output.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/unique_fd.h"
#include "core/json/writer.h"
#include "harness/store/lock.h"
#include "harness/store/workspace.h"
#include "system/process/capture.h"
#include "system/process/environment.h"
#include "ui/console/safe_text.h"

namespace ralph::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGoalTemplate = R"(# Goal

Describe what should be true at the end, as you would to a colleague who knows the code but not your plans.
The agent gets this text at the start of every iteration. Edit it while no loop is running; 'ralph tell' reaches a
running loop, and with --sandbox edits of this file do too.

## Done when

- [ ] the first thing that can be checked
- [ ] the tests pass

## Limits

- what must stay as it is
)";

/// What of it says nothing of the goal.
constexpr std::string_view kToReplace[] = {
    "Describe what should be true at the end, as you would to a colleague",
    "The agent gets this text at the start of every iteration.",
    "the first thing that can be checked",
    "what must stay as it is",
};

/// A test command, and the build file that suggests it.
struct Build {
  std::string_view file;
  std::string_view text;  // that the file must contain; empty: anything
  std::string_view command;
};
constexpr Build kBuilds[] = {
    {"Makefile", "\ntest:", "make test"},
    {"Makefile", "\ncheck:", "make check"},
    {"package.json", "\"test\"", "npm test"},
    {"Cargo.toml", "", "cargo test"},
    {"go.mod", "", "go test ./..."},
    {"pyproject.toml", "pytest", "python3 -m pytest"},
    {"pytest.ini", "", "python3 -m pytest"},
    {"tox.ini", "", "tox"},
    {"pom.xml", "", "mvn -q test"},
    {"build.gradle", "", "gradle test"},
    {"CMakePresets.json", "testPresets", "ctest --preset default"},
};

constexpr std::string_view kPytest = "python3 -m pytest";
constexpr std::string_view kNoNpmTest = "no test specified";  // what 'npm init' writes

bool has_python_test(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const auto name = at->path().filename().native();
    if (name.starts_with("test_") && name.ends_with(".py")) return true;
  }
  return false;
}

/// Whether the program is installed, and pytest for Python. Runs nothing in the directory.
bool can_run(std::string_view command) {
  const auto environment = process::changed_environment({});
  const auto program = command.substr(0, command.find(' '));
  if (!environment || !process::find_program(program, *environment, {})) return false;
  if (command != kPytest) return true;
  process::Command ask;
  ask.argv = {"python3", "-I", "-c", "import pytest"};
  const auto answer = process::capture(ask, {.wall = Millis{10'000}});
  return answer && answer->ok();
}

std::string_view verification_of(const fs::path& folder) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  for (const auto& build : kBuilds) {
    const auto text = read_file(folder / build.file, kMostBytes);
    if (!text || ("\n" + *text).find(build.text) == std::string::npos) continue;
    if (text->contains(kNoNpmTest) && build.file == "package.json") continue;
    if (can_run(build.command)) return build.command;
  }
  for (const auto* name : {".", "tests", "test"}) {
    if (has_python_test(folder / name) && can_run(kPytest)) return kPytest;
  }
  return {};
}

std::string settings_text(std::string_view verify) {
  const auto comment = verify.empty() ? "# " : "";
  return fmt::format(
      R"(# Settings of 'ralph run' and 'ralph loop'. 'ralph config show' lists all settings and their values.

# The agent: claude, builtin (ralph's own) or custom (see 'command'). auto: the first one installed.
backend: auto
# model: sonnet

# When to stop.
max_cost: 5          # US dollars, for the whole loop
max_iterations: 20
timeout: 1h          # for one iteration

# What must succeed before the agent's DONE is accepted.
{0}verify:
{0}  commands: ["{1}"]
{0}  # protect: ["tests/**"]   # verify with these files as they were at the start
{0}  # clean: true             # verify in a clean clone

# commit: true       # commit after every iteration; 'ralph undo' undoes it
# sandbox: on        # confine the agent to this directory (needs bubblewrap); strict: no network but the model API
)",
      comment, verify.empty() ? "make test" : verify);
}

enum class Done { written, line_added, there_already };

/// Creates a file; never replaces one or follows a link.
Result<Done> write_new(const fs::path& path, std::string_view text) {
  const UniqueFd file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file && errno == EEXIST) return Done::there_already;
  if (!file) return fail_errno(errno, fmt::format("cannot create '{}'", path.native()));
  TRY(write_all(file.get(), text, path.native()));
  return Done::written;
}

/// Adds the line to the repository's .gitignore, unless something there already covers it.
Result<Done> ignore_state(const fs::path& folder) {
  constexpr std::string_view kLine = "/.ralph/\n";
  const auto path = folder / ".gitignore";
  std::error_code error;
  const auto status = fs::symlink_status(path, error);
  if (!fs::exists(status)) return write_new(path, kLine);
  if (fs::is_symlink(status)) {
    return fail(Code::usage,
                fmt::format("'{}' is a symbolic link, which git does not follow", path.native()),
                "replace it with a file, or add /.ralph/ to .git/info/exclude");
  }
  TRY_ASSIGN(const auto text, read_file(path, std::size_t{1} << 20));
  for (const std::string_view known : {"/.ralph/", "/.ralph", ".ralph/", ".ralph"}) {
    const auto line = fmt::format("\n{}\n", known);
    if (("\n" + text + "\n").find(line) != std::string::npos) return Done::there_already;
  }
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  if (!file) return fail_errno(errno, fmt::format("cannot add to '{}'", path.native()));
  const bool open_line = !text.empty() && !text.ends_with('\n');
  TRY(write_all(file.get(), fmt::format("{}{}", open_line ? "\n" : "", kLine), path.native()));
  return Done::line_added;
}

struct Step {
  std::string name;  // a path relative to the directory
  Result<Done> done;
};

constexpr std::string_view kWords[] = {"written", "line added", "exists already; not changed"};

void report_steps(const std::vector<Step>& steps, bool json, StdOutput& output) {
  std::string line;
  json::ObjectWriter writer(line);
  std::size_t width = 0;
  for (const auto& step : steps) width = std::max(width, step.name.size());
  for (const auto& step : steps) {
    if (!step.done) continue;
    writer.boolean(step.name, *step.done != Done::there_already);
    if (!json) {
      output.out(fmt::format("{:<{}} {}\n", step.name, width + 1,
                             kWords[static_cast<std::size_t>(*step.done)]));
    }
  }
  writer.close();
  if (json) output.out(line + "\n");
}

/// The settings file above the directory that applies to it now; empty: none.
fs::path settings_above(const fs::path& folder) {
  for (const auto& file : config::find_files(load_request({}, folder))) {
    const bool above = file.path.parent_path() != folder && file.path.filename() == "ralph.yml";
    if (file.state == config::ConfigFile::State::used && above) return file.path;
  }
  return {};
}

/// Where the settings apply, if that is not the whole project.
void print_scope(const fs::path& root, const fs::path& folder, const fs::path& above,
                 StdOutput& output) {
  if (root != folder) {
    output.out(fmt::format("\nThese settings apply to this directory; .ralph will be in '{}'.\n",
                           console::safe_text(root.native())));
  }
  if (!above.empty()) {
    output.out(fmt::format("'{}' no longer applies here.\n", console::safe_text(above.native())));
  }
}

void print_verification(std::string_view verify, StdOutput& output) {
  output.out(
      verify.empty()
          ? "\nNo test command was found: set 'verify' in ralph.yml.\n"
          : fmt::format("\nDONE will be verified by '{}' ('verify' in ralph.yml).\n", verify));
}

int init_command(const Arguments& arguments, StdOutput& output) {
  std::error_code error;
  const auto given = arguments.positional(0).empty() ? "." : arguments.positional(0);
  const auto folder = fs::canonical(given, error);
  if (error || !fs::is_directory(folder, error)) {
    return report(
        {Code::not_found, fmt::format("'{}' is not a directory", console::safe_text(given)),
         "create it first (mkdir)"},
        output);
  }
  const auto root = project_root_of(folder);
  if (const auto holder = store::Lock::holder(store::Workspace::at(root).lock_file())) {
    return report(store::Lock::busy(*holder), output);
  }
  const auto above = root == folder ? fs::path() : settings_above(folder);
  const auto verify = verification_of(folder);
  std::vector<Step> steps;
  steps.push_back({"ralph.yml", write_new(folder / "ralph.yml", settings_text(verify))});
  steps.push_back({"GOAL.md", write_new(folder / "GOAL.md", kGoalTemplate)});
  if (fs::exists(root / ".git", error)) {
    steps.push_back(
        {(root / ".gitignore").lexically_relative(folder).native(), ignore_state(root)});
  }
  const bool json = arguments.flag("json");
  report_steps(steps, json, output);
  for (const auto& step : steps) {
    if (!step.done) return report(step.done.error(), output);
  }
  if (json) return 0;
  print_scope(root, folder, above, output);
  if (steps.front().done == Done::written) print_verification(verify, output);
  output.out(
      "Next: describe the goal in GOAL.md, then run 'ralph loop GOAL.md'. 'ralph doctor' checks "
      "this "
      "machine.\n");
  return 0;
}

constexpr Positional kInitPositionals[] = {
    {"DIR", "the directory (default: the current one)", Need::optional}};
constexpr Option kInitOptions[] = {
    {"--json", "", "print which files were written, as a JSON object"}};
constexpr Example kInitExamples[] = {
    {"ralph init && $EDITOR GOAL.md && ralph loop GOAL.md", "set up a directory and start a loop"},
};

}  // namespace

bool is_goal_template(std::string_view text) { return trim_end(text) == trim_end(kGoalTemplate); }

std::string_view goal_template_rest(std::string_view text) {
  const auto* const found = std::ranges::find_if(
      kToReplace, [&](std::string_view sentence) { return text.contains(sentence); });
  return found == std::end(kToReplace) ? std::string_view() : *found;
}

constinit const Command kInitCommand{
    "init",
    "create a ralph.yml and a GOAL.md",
    "Writes a ralph.yml with comments and a GOAL.md to fill in, and adds /.ralph/ to .gitignore.\n"
    "Other existing files are not changed. In a subdirectory of a repository, the settings apply "
    "to "
    "that\n"
    "subdirectory. The test command is guessed from the build files.",
    kInitPositionals,
    kInitOptions,
    kInitExamples,
    init_command,
};

}  // namespace ralph::cli
