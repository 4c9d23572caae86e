#include "bench/grade/test_report.h"

#include <gtest/gtest.h>

namespace ralph::grade {
namespace {

TEST(TestReport, CountsTap) {
  EXPECT_EQ(read_tap("1..3\nok 1 - a\nnot ok 2 - b\nok 3 # SKIP no net\n"), (TestCounts{3, 1, 1}));
  EXPECT_EQ(read_tap("1..4\nok 1\n"), (TestCounts{4, 3, 0}));
  EXPECT_EQ(read_tap("ok 1\nnot ok 2 # TODO later\n"), (TestCounts{2, 0, 1}));
  EXPECT_EQ(read_tap("ok 1\nBail out! no disk\n"), (TestCounts{1, 1, 0}));
  EXPECT_EQ(read_tap("all fine\nokay\n"), std::nullopt);
}

/// Graded code shares the output: what it prints must not hide a failed test.
TEST(TestReport, AFailedTestCannotBeHiddenOnALine) {
  EXPECT_EQ(read_tap("1..1\nok 1 - a # not ok 1 - a\n"), (TestCounts{1, 1, 0}));
  EXPECT_EQ(read_tap("1..1\nok 1\n# not ok 1 - a\n"), (TestCounts{1, 1, 0}));
  EXPECT_EQ(read_tap("1..1\nnot ok 1\nok 1\n"), (TestCounts{2, 2, 0}));
  EXPECT_EQ(read_tap("1..1\n    not ok 1 - part\nok 1 - it is not ok to fail\n"),
            (TestCounts{1, 0, 0}));
}

TEST(TestReport, CountsJunit) {
  EXPECT_EQ(read_junit(R"(<?xml version="1.0"?><testsuites><testsuite name="s">
    <testcase name="a"/><testcase name="b"><failure message="x">t</failure></testcase>
    <testcase name="c"><skipped/></testcase><!-- <testcase/> -->
    <testcase name="d"><system-out><![CDATA[<testcase/>]]></system-out></testcase></testsuite></testsuites>)"),
            (TestCounts{4, 1, 1}));
  EXPECT_EQ(read_junit("<testsuite></testsuite>"), (TestCounts{0, 0, 0}));
  EXPECT_EQ(read_junit("nothing"), std::nullopt);
}

}  // namespace
}  // namespace ralph::grade
