#pragma once
#include <string>

#include "bench/grade/grader.h"
#include "core/json/document.h"

namespace ralph::grade {

std::unique_ptr<Grader> make_git_diff(const trial::GraderSpec& spec);
std::unique_ptr<Grader> make_expected_diff(const trial::GraderSpec& spec);
std::unique_ptr<Grader> make_command(const trial::GraderSpec& spec);
std::unique_ptr<Grader> make_files(const trial::GraderSpec& spec);
std::unique_ptr<Grader> make_regex(const trial::GraderSpec& spec);
std::unique_ptr<Grader> make_budget(const trial::GraderSpec& spec);
std::unique_ptr<Grader> make_trajectory(const trial::GraderSpec& spec);
std::unique_ptr<Grader> make_judge(const trial::GraderSpec& spec);

/// A grader that cannot work, and why: its settings, or something else that no agent can cause.
GradeResult skipped(std::string message, std::string error);
/// Failed, because the agent's work may be why the grader cannot work: nobody escapes a grade by that.
GradeResult not_graded(const Error& error);
/// A grader that was ended by a stop request.
GradeResult stopped();
/// Passed without violations, else failed; the message names them.
GradeResult judged(const std::string& summary, const std::vector<std::string>& violations);

/// As JavaScript writes it: without ".0" if it is whole.
json::Document number(double value);

}  // namespace ralph::grade
