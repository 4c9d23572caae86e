#pragma once
#include <string_view>

namespace ralph::cli {

/// Whether a goal is the GOAL.md of 'ralph init', with nothing filled in.
bool is_goal_template(std::string_view text);

}  // namespace ralph::cli
