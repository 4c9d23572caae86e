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

/// A grader that cannot work, and why.
GradeResult skipped(std::string message, std::string error);
/// A grader that was ended by a stop request.
GradeResult stopped();
/// Passed without violations, else failed; the message names them.
GradeResult judged(const std::string& summary, const std::vector<std::string>& violations);

/// As JavaScript writes it: without ".0" if it is whole.
json::Document number(double value);

}  // namespace ralph::grade
