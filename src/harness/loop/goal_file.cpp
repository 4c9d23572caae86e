#include "harness/loop/goal_file.h"

#include <fmt/core.h>

#include "core/base/file.h"
#include "core/base/names.h"
#include "core/base/sha256.h"
#include "core/base/text.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestGoal = std::size_t{1} << 20;

}  // namespace

std::string goal_used_text(std::string_view file) {
  return fmt::format("'{}' was edited: the new text is used from now on", file);
}

/// The file as the command line of this directory names it.
std::string goal_not_used_text(const store::LoopState& state) {
  std::error_code error;
  const auto here = fs::absolute(state.goal_file, error).lexically_normal();
  const auto& file = here == state.goal_path ? state.goal_file : state.goal_path;
  return fmt::format(
      "'{}' was changed while the agent worked, perhaps by the agent: the goal is not changed "
      "(to use the new text, stop the loop, then: ralph loop --resume {})",
      state.goal_file, shell_word(file));
}

std::string goal_unusable_text(std::string_view file, std::string_view problem) {
  return fmt::format("cannot use '{}' as it is now: {}; the goal is not changed", file, problem);
}

std::string goal_id(std::string_view text) { return sha256_hex(text); }

Result<> check_goal(std::string_view text) {
  if (is_blank(text)) {
    return fail(Code::usage, "the goal is empty", "describe the goal");
  }
  if (text.size() <= kLongestGoal) return {};
  return fail(Code::usage,
              fmt::format("the goal has {} bytes; the limit is {}", text.size(), kLongestGoal),
              "describe the goal, and refer to files for the rest");
}

std::string without_byte_order_mark(std::string text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.erase(0, kMark.size());
  return text;
}

GoalText read_goal_text(const fs::path& file) {
  auto read = read_file(file);
  if (!read) return {std::string(kNoGoalFile), {}, read.error().message};
  auto text = without_byte_order_mark(*std::move(read));
  auto id = goal_id(text);
  GoalText now{std::move(id), std::move(text), {}};
  if (const auto good = check_goal(now.text); !good) now.problem = good.error().message;
  if (now.text.contains('\0')) now.problem = "it has a NUL byte";
  return now;
}

bool can_be_protected(const fs::path& goal_file) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(goal_file, error));
}

ResumedGoal resumed_goal(const store::LoopState& state, bool sandboxed, bool accepted) {
  ResumedGoal goal{state.goal, state.goal_seen, {}, false};
  if (state.goal_path.empty()) return goal;
  auto now = read_goal_text(state.goal_path);
  goal.id = now.id;
  if (now.id == goal_id(state.goal)) return goal;
  const bool was_protected = sandboxed && state.goal_seen != kNoGoalFile;
  const bool by_user = now.id != state.goal_seen && (was_protected || !state.current);
  if (!accepted && !by_user) {
    goal.message = goal_not_used_text(state);
  } else if (!now.problem.empty()) {
    goal.message = goal_unusable_text(state.goal_file, now.problem);
  } else {
    goal.message = goal_used_text(state.goal_file);
    goal.text = std::move(now.text);
    goal.edited = true;
  }
  return goal;
}

}  // namespace ralph::loop
