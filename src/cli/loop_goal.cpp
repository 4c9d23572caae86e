#include "cli/loop_goal.h"

#include <fmt/core.h>

#include "cli/init.h"
#include "core/base/file.h"
#include "core/base/path.h"
#include "harness/loop/goal_file.h"

namespace ralph::cli {
namespace {

namespace fs = std::filesystem;
using config::Key;

constexpr const char* kGoalFile = "GOAL.md";

/// What a shell's <(...) names is gone when it was read.
fs::path lasting_path(const std::string& file) {
  std::error_code error;
  const auto path = fs::absolute(file, error).lexically_normal();
  if (error || is_below(path, "/dev") || is_below(path, "/proc")) return {};
  return path;
}

/// Where a file is that was named as if the command stood in the directory the loop works in; empty: not there either.
fs::path beside_settings(const std::string& file, const config::Settings& settings) {
  std::error_code error;
  const auto path = fs::path(settings.text(Key::cwd)) / file;
  return fs::exists(path, error) ? fs::proximate(path, error) : fs::path();
}

Result<Goal> read_goal_file(const std::string& file, const config::Settings& settings) {
  auto read = read_file(file);
  if (read) {
    auto text = loop::without_byte_order_mark(*std::move(read));
    auto seen = loop::goal_id(text);
    return Goal{std::move(text), file, lasting_path(file), std::move(seen)};
  }
  const bool missing = read.error().code == Code::not_found;
  if (const auto other = missing ? beside_settings(file, settings) : fs::path(); !other.empty()) {
    return fail(Code::usage,
                fmt::format("the goal file '{}' does not exist in this directory", file),
                fmt::format("did you mean '{}'?", other.native()));
  }
  return fail(Code::usage,
              missing ? fmt::format("the goal file '{}' does not exist", file)
                      : fmt::format("the goal file: {}", read.error().message),
              "name a file that describes the goal, or use -p TEXT");
}

/// The template of `ralph init` says nothing yet.
bool has_goal_file(const config::Settings& settings) {
  const auto path = fs::path(settings.text(Key::cwd)) / kGoalFile;
  std::error_code error;
  if (!fs::exists(path, error)) return false;
  const auto text = read_file(path);
  return !text || !is_goal_template(*text);
}

/// A GOAL.md that lies there says what to achieve as well, and the agent would read it.
Result<> refuse_goal_file(const config::Settings& settings) {
  if (!has_goal_file(settings)) return {};
  const auto& origin = settings.origin(Key::prompt);
  const bool on_the_line = origin.kind == config::Origin::Kind::flag;
  return fail(Code::usage,
              fmt::format("two goals: {}, and the file '{}' in this directory",
                          on_the_line ? "-p TEXT" : "the prompt of " + describe(origin), kGoalFile),
              "'ralph loop GOAL.md' uses the file; for another goal rename or remove it, or "
              "name another file with -P FILE ('-P -' is standard input)");
}

Result<> check_one_goal(const Arguments& arguments, const config::Settings& settings) {
  const auto file = arguments.positional(0);
  const bool text = arguments.flag("prompt");
  if (!file.empty() && (text || arguments.flag("prompt-file"))) {
    return fail(Code::usage,
                fmt::format("two goals were given: the file '{}' and {}", file,
                            text ? "-p TEXT" : "-P FILE"),
                "remove one of them");
  }
  return text ? refuse_goal_file(settings) : Result<>();
}

Goal goal_of(const store::LoopState& state, const Arguments& arguments,
             const config::Settings& settings) {
  const bool sandboxed = run::sandbox_of(settings) != backend::SandboxLevel::off;
  auto goal = loop::resumed_goal(state, sandboxed, arguments.flag("accept-changes"));
  return {std::move(goal.text), state.goal_file,         state.goal_path,
          std::move(goal.id),   std::move(goal.message), goal.edited};
}

}  // namespace

Result<Goal> read_goal(const Arguments& arguments, const config::Settings& settings,
                       run::Invocation& invocation, const std::optional<store::LoopState>& state) {
  TRY(check_one_goal(arguments, settings));
  const std::string file(arguments.positional(0));
  if (!file.empty()) return read_goal_file(file, settings);
  if (settings.text(Key::prompt_file) == "-")
    return Goal{std::move(invocation.standard_input), "-"};
  const bool on_the_line = arguments.flag("prompt") || arguments.flag("prompt-file");
  if (state && !on_the_line) return goal_of(*state, arguments, settings);
  if (!settings.text(Key::prompt_file).empty())
    return read_goal_file(settings.text(Key::prompt_file), settings);
  if (settings.given(Key::prompt)) {
    TRY(refuse_goal_file(settings));
    return Goal{settings.text(Key::prompt)};
  }
  return fail(Code::usage, "no goal was given",
              has_goal_file(settings) ? "use 'ralph loop GOAL.md'"
                                      : "use 'ralph loop GOAL.md' or 'ralph loop -p TEXT'");
}

}  // namespace ralph::cli
