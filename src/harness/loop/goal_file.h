#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "harness/store/loop_state.h"

namespace ralph::loop {

/// Stands for the content of a goal file.
std::string goal_id(std::string_view text);

/// A goal file as it is now.
struct GoalText {
  std::string id;  // of a file that cannot be read: kNoGoalFile
  std::string text;
  std::string problem;  // why it cannot be the goal: "it is empty"; empty: it can
};
inline constexpr std::string_view kNoGoalFile = "none";
/// Without a byte order mark.
GoalText read_goal_text(const std::filesystem::path& file);
std::string without_byte_order_mark(std::string text);

/// Code::usage: the text is too long, or empty, for a goal.
Result<> check_goal(std::string_view text);

/// The goal of a loop that is resumed. Agents can write the file too, and must not set their own goal: an edit counts
/// when it was made since the last run ended, in the sandbox at any time, or when the user accepted what is there.
struct ResumedGoal {
  std::string text;
  std::string id;       // of the file, now
  std::string message;  // for the user, one line; empty: the file is as it was
  bool edited = false;
};
ResumedGoal resumed_goal(const store::LoopState& state, bool sandboxed, bool accepted);

// Messages about an edit: it is the goal now; it is not, as an agent may have made it; it cannot be one.
std::string goal_used_text(std::string_view file);
std::string goal_not_used_text(const store::LoopState& state);
std::string goal_unusable_text(std::string_view file, std::string_view problem);

/// Whether a sandbox can keep an agent from writing the file: it exists and is not a link.
bool can_be_protected(const std::filesystem::path& goal_file);

}  // namespace ralph::loop
