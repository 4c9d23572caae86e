#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ralph::grade {

/// What a report of tests says. Graded code may have written part of it: whatever could be a failed test counts as one.
struct TestCounts {
  std::int64_t total = 0, failed = 0, skipped = 0;
  /// Why the report cannot be believed, apart from failed tests.
  std::vector<std::string> problems = {};

  /// Of many problems, the first are enough.
  void add_problem(std::string problem) {
    constexpr std::size_t kMostProblems = 20;
    if (problems.size() < kMostProblems) problems.push_back(std::move(problem));
  }

  std::int64_t passed() const { return std::max<std::int64_t>(0, total - failed - skipped); }
  bool operator==(const TestCounts&) const = default;
};

/// Counts the results of the Test Anything Protocol. `not ok` in any line is a failed test, and so is a test that the plan
/// promises and that did not run. Results of subtests count only if they failed. Code::malformed: there are no results.
Result<TestCounts> read_tap(std::string_view text);

/// Counts the `<testcase>` elements of a JUnit report. A suite that declares other numbers than it has is a problem.
/// Code::malformed: it is not well-formed XML (a DOCTYPE is refused too), or not a JUnit report.
Result<TestCounts> read_junit(std::string_view text);

}  // namespace ralph::grade
