#pragma once
#include <string_view>

namespace ralph::cli {

/// Whether a goal is the unchanged GOAL.md of 'ralph init'.
bool is_goal_template(std::string_view text);
/// The first sentence that a goal still has of the GOAL.md of 'ralph init'; empty: none.
std::string_view goal_template_rest(std::string_view text);

}  // namespace ralph::cli
