#include "bench/grade/test_report.h"

#include <gtest/gtest.h>

namespace ralph::grade {
namespace {

/// Nothing that the text of a report can say makes it better than failed.
bool fails(const Result<TestCounts>& counts) {
  return !counts || counts->failed > 0 || !counts->problems.empty();
}

TEST(TestReport, CountsTap) {
  EXPECT_EQ(read_tap("1..3\nok 1 - a\nnot ok 2 - b\nok 3 # SKIP no net\n"), (TestCounts{3, 1, 1}));
  EXPECT_EQ(read_tap("ok 1\r\nok 2\r\n1..2\r\n"), (TestCounts{2, 0, 0}));
  EXPECT_EQ(read_tap("1..4\nok 1\n"), (TestCounts{4, 3, 0}));
  EXPECT_EQ(read_tap("1..2\nok 1\nok 2 # TODO later\n"), (TestCounts{2, 0, 1}));
  EXPECT_EQ(read_tap("1..0 # SKIP none\n"), (TestCounts{0, 0, 0}));
  EXPECT_EQ(read_tap("all fine\nokay\n").error().message, "the output has no TAP results");
}

/// Graded code shares the output: what it prints must not hide a failed test.
TEST(TestReport, AFailedTestCannotBeHiddenOnALine) {
  for (const auto line :
       {"    not ok 1", "# not ok", "#   not ok 1 - a", "not  ok 1", "not\tok 1", "x\rnot ok 1",
        "xnot ok 1", "ok 1 # not ok 1 - a", "ok 1 - not ok", "not ok", "not ok1", "not ok # TODO",
        "not ok 1 # SKIP", "not\xC2\xA0ok 1", "\xE2\x80\x83not ok 1", "\x1b[31mnot\x1b[0m ok 1",
        "ok 1 - a \"not ok\" quoted"}) {
    const auto counts = read_tap(std::string("1..2\nok 2\n") + line + "\nok 1\n");
    ASSERT_TRUE(counts) << line;
    EXPECT_GE(counts->failed, 1) << line;
  }
  EXPECT_EQ(read_tap("1..1\nok 1 - the knot okays\n"), (TestCounts{1, 0, 0}));
}

TEST(TestReport, ATapPlanIsKept) {
  EXPECT_EQ(read_tap("ok 1\n")->problems,
            std::vector<std::string>{"line 1: the output ended without a plan (1..N)"});
  EXPECT_EQ(read_tap("1..1\nok 1\nok 2\n")->problems,
            std::vector<std::string>{"line 3: 2 results, but the plan is 1..1"});
  EXPECT_EQ(read_tap("1..2\nok 1\nok 1\n")->problems,
            std::vector<std::string>{"line 3: test 1 has more than one result"});
  for (const auto text :
       {"1..2\nok 1\n1..1\n", "ok 1\n1..2\nok 2\n", "1..99999999999999999999\nok 1\n",
        "1..-1\nok 1\n", "1..1\nok 1\nBail out! no disk\n", "1..1\nok 1\n  Bail out!\n"}) {
    EXPECT_FALSE(read_tap(text)->problems.empty()) << text;
  }
}

TEST(TestReport, SubtestsOfTapCountOnlyIfTheyFailed) {
  EXPECT_EQ(read_tap("1..2\n    ok 1\n    ok 2\n    1..2\nok 1 - a\n    1..1\n    ok 1\nok 2\n"),
            (TestCounts{2, 0, 0}));
  EXPECT_EQ(read_tap("1..1\n    1..1\n    not ok 1\nok 1\n"), (TestCounts{1, 1, 0}));
  EXPECT_EQ(read_tap("1..1\n    1..3\n    ok 1\nok 1\n"), (TestCounts{1, 2, 0}));
}

TEST(TestReport, CountsJunit) {
  EXPECT_EQ(read_junit(R"(<?xml version="1.0"?><testsuites tests="4" failures="1">
    <testsuite name="s" tests="4" failures="1" errors="0" skipped="1">
    <testcase name="a"/><testcase name="b"><failure message="x &lt; &#x41;">t</failure></testcase>
    <testcase name="c"><skipped/></testcase><!-- <testcase/> -->
    <testcase name="d"><system-out><![CDATA[<testcase/>]]></system-out></testcase></testsuite></testsuites>)"),
            (TestCounts{4, 1, 1}));
  EXPECT_EQ(read_junit("<testsuite></testsuite>"), (TestCounts{0, 0, 0}));
  EXPECT_EQ(read_junit("<testsuite><testcase status='notrun'/><testcase><error/></testcase>"
                       "<testsuite><testcase status='failed'/></testsuite></testsuite>"),
            (TestCounts{3, 2, 1}));
  EXPECT_EQ(read_junit("<testsuite><error>no tests</error></testsuite>"), (TestCounts{0, 1, 0}));
}

TEST(TestReport, AJunitReportMustBeWholeAndWellFormed) {
  for (const auto text :
       {"nothing", "", "<html/>", "<testsuite><testcase/>", "<testsuite><testcase/></testsuite",
        "<testsuite><testcase></testsuite>", "<testsuite/><testsuite/>", "<testsuite/>text",
        "<testsuite tests='1' tests='1'><testcase/></testsuite>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><testsuite><testcase/></testsuite>",
        "<testsuite><testcase name='&b;'/></testsuite>", "<testsuite>&b;<testcase/></testsuite>",
        "<testsuite><!-- <failure/></testsuite>", "<testsuite><![CDATA[</testsuite>",
        "<testsuite><testcase name=a/></testsuite>", "<testsuite><testcase name='<'/></testsuite>",
        "<testsuite><testcase><testcase/></testcase></testsuite>"}) {
    EXPECT_FALSE(read_junit(text)) << text;
  }
  EXPECT_EQ(read_junit("<testsuite>\n<testcase/>\n").error().message,
            "line 3: the file ends before </testsuite>");
}

TEST(TestReport, AJunitReportMustNotContradictItself) {
  EXPECT_EQ(read_junit("<testsuite name='s' tests='2'><testcase/></testsuite>")->problems,
            std::vector<std::string>{"<testsuite name=\"s\"> declares 2 tests, but has 1"});
  for (const auto text : {"<testsuite failures='1'><testcase/></testsuite>",
                          "<testsuite errors='1'><testcase/></testsuite>",
                          "<testsuite skipped='1'><testcase/></testsuite>",
                          "<testsuite tests='many'><testcase/></testsuite>",
                          "<testsuite tests='-1'><testcase/></testsuite>",
                          "<testsuites tests='2'><testsuite tests='1'><testcase/></testsuite>"
                          "</testsuites>"}) {
    EXPECT_TRUE(fails(read_junit(text))) << text;
  }
}

}  // namespace
}  // namespace ralph::grade
