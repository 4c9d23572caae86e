#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"
#include "harness/store/loop_state.h"

namespace ralph::console {

/// How a loop is started, for its first lines.
struct LoopFacts {
  std::string agent;                 // "Claude 2.1.325"
  std::optional<std::string> model;  // empty: the agent's default; nullopt: it cannot be chosen
  std::string sandbox;               // "no sandbox"
  std::string limits;                // "50 iterations, 2h, $5.0000"
  std::string commits;               // "a commit after every iteration"
  bool has_git = true;               // git is installed
  bool reports_cost = true;
  bool resumed = false;
};
/// "Claude 2.1.325, model sonnet, no sandbox". `used`: the model that earlier iterations used; empty: not known.
std::string agent_text(const LoopFacts& facts, std::string_view used = {});

/// The first line of a goal that has text, without the marks of a heading. A heading "Goal" alone says nothing.
std::string_view goal_line(std::string_view goal);
/// The goal file, as it can be opened from the current directory; empty: the goal came from no file.
std::string goal_file_from_here(const store::LoopState& state);
/// "GOAL.md: Make the tests pass", the file as this directory sees it.
std::string goal_text(const store::LoopState& state);

struct HeaderLine {
  std::string_view name;
  std::string value;  // one line, but neither safe nor masked, and of any length
};
/// What a loop begins with: its id, the time, goal, agent, limits, branch and verification. `before`: of a resumed one.
std::vector<HeaderLine> loop_header(const LoopFacts& facts, const store::LoopState& state,
                                    const std::vector<store::LoopRecord>& before, UtcTime now);

}  // namespace ralph::console
