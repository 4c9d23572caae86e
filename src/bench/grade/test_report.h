#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ralph::grade {

struct TestCounts {
  std::int64_t total = 0, failed = 0, skipped = 0;
  bool operator==(const TestCounts&) const = default;
};

/// Counts the `ok` and `not ok` lines of the Test Anything Protocol. Tests that the plan promises and that did not run have
/// failed; `Bail out!` is a failure. nullopt: there is no such line.
std::optional<TestCounts> read_tap(std::string_view text);

/// Counts the `<testcase>` elements of a JUnit report. nullopt: it has no test suite.
std::optional<TestCounts> read_junit(std::string_view text);

}  // namespace ralph::grade
