#include "cli/loop_header.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "cli/loop_report.h"
#include "core/base/path.h"
#include "harness/run/versions.h"
#include "ui/console/figures.h"

namespace ralph::cli {
namespace {

using view::counted;
using view::dollars;

constexpr std::string_view kDefaultModel = "its default model";
constexpr std::string_view kBranches = "refs/heads/";

/// "2.1.325" of "2.1.325 (Claude Code)"; empty: not known.
std::string version_of(const run::Request& request) {
  const auto& backend = *request.backend;
  if (backend.program == backend::kOwnProgram) return RALPH_VERSION;
  if (backend.program.empty()) return {};
  const auto program = backend::find_program(backend.program, request.host);
  if (!program) return {};
  const auto line = run::Versions(run::Versions::usual_cache(request.host)).known(*program);
  return line.substr(0, line.find(' '));
}

std::string agent_of(const run::Request& request) {
  auto text = request.agent_name;
  if (const auto version = version_of(request); !version.empty()) text += " " + version;
  if (request.backend->can.model) {
    text += request.ask.model.empty() ? fmt::format(", {}", kDefaultModel)
                                      : ", model " + request.ask.model;
  }
  if (!request.host.sandboxed()) return text + ", no sandbox";
  const bool strict = request.host.sandbox == backend::SandboxLevel::strict;
  return text + (strict ? ", strict sandbox" : ", in a sandbox");
}

std::string limits_of(const loop::Budget& budget, bool tells_cost) {
  std::vector<std::string> limits;
  if (budget.iterations > 0) limits.push_back(counted(budget.iterations, "iteration"));
  if (budget.time > Millis::zero()) limits.push_back(format_duration(budget.time));
  if (budget.cost_usd) limits.push_back(dollars(*budget.cost_usd));
  if (budget.cost_per_day_usd) limits.push_back(dollars(*budget.cost_per_day_usd) + " a day");
  auto text = limits.empty() ? "none" : fmt::format("{}", fmt::join(limits, ", "));
  if (!tells_cost) text += "; no cost limit: this agent does not tell its cost";
  return text;
}

/// An earlier iteration knows which model the default is.
std::string agent_text(const LoopFacts& facts, const std::vector<loop::Record>& before) {
  auto text = facts.agent;
  const auto used = loop::model_used(before);
  const auto at = text.find(kDefaultModel);
  if (!used.empty() && at != text.npos) {
    text.insert(at + kDefaultModel.size(), fmt::format(" ({})", used));
  }
  return text;
}

std::string branch_of(const loop::State& state) {
  std::string_view name = state.branch_at_start;
  if (name == "HEAD") return "none (detached HEAD)";
  if (name.starts_with(kBranches)) name.remove_prefix(kBranches.size());
  return std::string(name);
}

}  // namespace

LoopFacts facts_of(const loop::Setup& setup) {
  const auto& request = setup.request;
  const bool tells_cost = request.backend->can.cost ||
                          request.ask.output_format == std::optional<std::string>("stream-json");
  return {agent_of(request), limits_of(setup.options.budget, tells_cost),
          setup.options.commit ? "a commit after every iteration" : "no commits", tells_cost,
          setup.resumed};
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
    const auto first = line.find_first_not_of(" \t\r");
    if (first == line.npos) continue;
    const bool bare = heading && line.substr(first).starts_with("Goal") &&
                      line.find_first_not_of(": \t\r", first + 4) == line.npos;
    if (bare && goal.find_first_not_of(" \t\r\n") != goal.npos) continue;
    return line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
  }
  return {};
}

std::string goal_file_from_here(const loop::State& state) {
  if (state.goal_path.empty()) return state.goal_file;
  const std::filesystem::path path = state.goal_path;
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  if (!error && is_below(path, here)) return path.lexically_relative(here).native();
  const auto named = std::filesystem::absolute(state.goal_file, error).lexically_normal();
  return !error && named == path ? state.goal_file : state.goal_path;
}

std::string goal_text(const loop::State& state) {
  const auto file = goal_file_from_here(state);
  return fmt::format("{}{}{}", file, file.empty() ? "" : ": ", goal_line(state.goal));
}

std::vector<HeaderLine> loop_header(const LoopFacts& facts, const loop::State& state,
                                    const std::vector<loop::Record>& before, UtcTime now) {
  const auto totals = loop::add_up(before);
  auto loop = fmt::format("{}, {}", state.loop_id, view::date_time(now));
  if (facts.resumed) {
    loop += fmt::format(", resumed after {}, cost {}", counted(totals.iterations, "iteration"),
                        cost_text(totals));
  }
  std::vector<HeaderLine> lines{{"Loop", loop},
                                {"Goal", goal_text(state)},
                                {"Agent", agent_text(facts, before)},
                                {"Limits", facts.limits}};
  lines.push_back({"Branch", state.branch_at_start.empty()
                                 ? "none: not a git repository"
                                 : fmt::format("{}, {}", branch_of(state), facts.commits)});
  lines.push_back({"Verify", state.verify.empty()
                                 ? "nothing: a DONE is not checked (--verify COMMAND checks it)"
                                 : fmt::format("`{}`", fmt::join(state.verify, "`, `"))});
  return lines;
}

}  // namespace ralph::cli
