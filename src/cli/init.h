#pragma once
#include <string_view>

namespace ralph::cli {

/// Whether a goal is the unchanged GOAL.md of 'ralph init'.
bool is_goal_template(std::string_view text);

}  // namespace ralph::cli
