#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "harness/loop/loop.h"

namespace ralph::cli {

/// What a loop is started with, for the lines it begins with.
struct LoopFacts {
  std::string agent;    // "Claude 2.1.325, model sonnet, no sandbox"
  std::string limits;   // "50 iterations, 2h, $5.0000"
  std::string commits;  // "a commit after every iteration"
  bool tells_cost = true;
  bool resumed = false;
};
/// Starts nothing: the version of another program is given where an earlier 'ralph doctor' asked for it.
LoopFacts facts_of(const loop::Setup& setup);

/// The first line of a goal that has text, without the marks of a heading. A heading "Goal" alone says nothing.
std::string_view goal_line(std::string_view goal);
/// The goal file, as it can be opened from the current folder; empty: the goal came from no file.
std::string goal_file_from_here(const loop::State& state);
/// "GOAL.md: Make the tests pass", the file as this folder sees it.
std::string goal_text(const loop::State& state);

struct HeaderLine {
  std::string_view name;
  std::string value;  // one line, but neither safe nor masked, and of any length
};
/// What a loop begins with: its id, the time, goal, agent, limits, branch and verification. `before`: of a resumed one.
std::vector<HeaderLine> loop_header(const LoopFacts& facts, const loop::State& state,
                                    const std::vector<loop::Record>& before, UtcTime now);

}  // namespace ralph::cli
