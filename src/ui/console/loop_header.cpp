#include "ui/console/loop_header.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/base/path.h"
#include "core/base/text.h"
#include "ui/console/figures.h"
#include "ui/console/loop_report.h"

namespace ralph::console {
namespace {

constexpr std::string_view kBranches = "refs/heads/";

std::string branch_of(const store::LoopState& state) {
  std::string_view name = state.branch_at_start;
  if (name == store::kDetachedHead) return "none (detached HEAD)";
  if (name.starts_with(kBranches)) name.remove_prefix(kBranches.size());
  return std::string(name);
}

}  // namespace

std::string agent_text(const LoopFacts& facts, std::string_view used) {
  auto text = facts.agent;
  if (facts.model && !facts.model->empty()) text += ", model " + *facts.model;
  if (facts.model && facts.model->empty()) {
    text += ", its default model";
    if (!used.empty()) text += fmt::format(" ({})", used);
  }
  return text + ", " + facts.sandbox;
}

std::string_view goal_line(std::string_view goal) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (goal.starts_with(kByteOrderMark)) goal.remove_prefix(kByteOrderMark.size());
  while (!goal.empty()) {
    auto line = goal.substr(0, goal.find('\n'));
    goal.remove_prefix(std::min(goal.size(), line.size() + 1));
    const auto marks = line.find_first_not_of('#');
    const bool heading =
        marks != 0 && marks != line.npos && (line[marks] == ' ' || line[marks] == '\t');
    if (heading || marks == line.npos) line.remove_prefix(std::min(marks, line.size()));
    line = trim(line);
    if (line.empty()) continue;
    const bool bare = heading && line.starts_with("Goal") && is_blank(line.substr(4), ": \t\r");
    if (bare && !is_blank(goal)) continue;
    return line;
  }
  return {};
}

std::string goal_file_from_here(const store::LoopState& state) {
  if (state.goal_path.empty()) return state.goal_file;
  const std::filesystem::path path = state.goal_path;
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  if (!error && is_below(path, here)) return path.lexically_relative(here).native();
  const auto named = std::filesystem::absolute(state.goal_file, error).lexically_normal();
  return !error && named == path ? state.goal_file : state.goal_path;
}

std::string goal_text(const store::LoopState& state) {
  const auto file = goal_file_from_here(state);
  return fmt::format("{}{}{}", file, file.empty() ? "" : ": ", goal_line(state.goal));
}

std::vector<HeaderLine> loop_header(const LoopFacts& facts, const store::LoopState& state,
                                    const std::vector<store::LoopRecord>& before, UtcTime now) {
  const auto totals = store::add_up(before);
  auto loop = fmt::format("{}, {}", state.loop_id, date_time(now));
  if (facts.resumed) {
    loop += fmt::format(", resumed after {}, cost {}", counted(totals.iterations, "iteration"),
                        cost_text(totals));
  }
  std::vector<HeaderLine> lines{{"Loop", loop},
                                {"Goal", goal_text(state)},
                                {"Agent", agent_text(facts, store::model_used(before))},
                                {"Limits", facts.limits}};
  const auto* no_branch =
      facts.has_git ? "none: not a git repository" : "none: git is not installed";
  lines.push_back({"Branch", state.branch_at_start.empty()
                                 ? no_branch
                                 : fmt::format("{}, {}", branch_of(state), facts.commits)});
  lines.push_back({"Verify", state.verify.empty()
                                 ? "nothing: a DONE is not checked (--verify COMMAND checks it)"
                                 : fmt::format("`{}`", fmt::join(state.verify, "`, `"))});
  return lines;
}

}  // namespace ralph::console
