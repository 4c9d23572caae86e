#include "bench/grade/grader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "bench/grade/graders_impl.h"
#include "core/base/nearest.h"

namespace ralph::grade {
namespace {

constexpr auto kGraders = std::to_array<GraderInfo>({
    {"git-diff", "counts changed files and lines", make_git_diff},
    {"expected-diff", "compares every file with the expected branch", make_expected_diff},
    {trial::kJudgeName, "an agent scores assertions; also agentic-judge:NAME", make_judge},
    {"command", "runs a command: its exit code, or its JUnit or TAP report", make_command},
    {"files", "files that must or must not exist", make_files},
    {"regex", "patterns that files must or must not contain", make_regex},
    {"budget", "limits on cost, tokens, turns, tool calls and time", make_budget},
    {"trajectory", "which tools the agent used", make_trajectory},
});

/// Judges have names of their own: "agentic-judge:style", "agentic-judge-style".
bool is_kind(const GraderInfo& info, std::string_view name) {
  return name == info.name || (info.name == trial::kJudgeName && trial::is_judge_name(name));
}

GradeResult run_known(const GraderInfo& info, const trial::GraderSpec& spec,
                      const GradeContext& context) {
  try {
    return info.make(spec)->grade(context);
  } catch (const std::exception& error) {
    return not_graded({Code::internal, error.what(), {}});
  }
}

}  // namespace

std::string_view to_string(GradeStatus status) {
  switch (status) {
    case GradeStatus::passed: return "passed";
    case GradeStatus::failed: return "failed";
    case GradeStatus::skipped: return "skipped";
  }
  return "skipped";
}

std::span<const GraderInfo> graders() { return kGraders; }

std::string unknown_grader(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& info : kGraders) {
    if (is_kind(info, name)) return {};
    known.emplace_back(info.name);
  }
  const auto meant = nearest(name, known);
  return fmt::format("unknown grader '{}'; {}", name,
                     meant.empty() ? fmt::format("known are {}", fmt::join(known, ", "))
                                   : fmt::format("did you mean '{}'?", meant));
}

GradeResult skipped(std::string message, std::string error) {
  GradeResult result;
  result.message = std::move(message);
  result.error = std::move(error);
  return result;
}

GradeResult not_graded(const Error& error) {
  auto result = judged("not graded", {error.message});
  result.error = describe(error);
  return result;
}

GradeResult stopped() { return skipped("not graded: stopped", "stopped"); }

GradeResult judged(const std::string& summary, const std::vector<std::string>& violations) {
  GradeResult result;
  result.status = violations.empty() ? GradeStatus::passed : GradeStatus::failed;
  result.message = violations.empty()
                       ? fmt::format("✓ {}", summary)
                       : fmt::format("✗ {} | Violations: {}", summary, fmt::join(violations, "; "));
  return result;
}

json::Document number(double value) {
  constexpr double kExact = 9007199254740992.0;
  if (std::trunc(value) == value && std::abs(value) < kExact) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

GradeResult run_grader(const trial::GraderSpec& spec, const GradeContext& context) {
  const auto began = std::chrono::steady_clock::now();
  const auto trusted = context.check_trusted();
  const auto info =
      std::ranges::find_if(kGraders, [&](const auto& one) { return is_kind(one, spec.name); });
  auto result = !trusted ? not_graded(trusted.error())
                : info != kGraders.end()
                    ? run_known(*info, spec, context)
                    : skipped(fmt::format("Unknown evaluator: {}", spec.name),
                              fmt::format("Evaluator '{}' not found", spec.name));
  result.grader = spec.name;
  result.time = now_utc();
  result.duration = std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - began);
  return result;
}

std::string_view overall_status(std::span<const GradeResult> results) {
  const auto is = [](GradeStatus status) {
    return [status](const GradeResult& result) { return result.status == status; };
  };
  if (std::ranges::any_of(results, is(GradeStatus::failed))) return "failed";
  return std::ranges::all_of(results, is(GradeStatus::passed)) ? "passed" : "partial";
}

}  // namespace ralph::grade
