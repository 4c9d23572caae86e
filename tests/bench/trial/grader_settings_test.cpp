#include <gtest/gtest.h>

#include "bench/trial/test_case.h"
#include "support/temp_folder.h"

namespace ralph::trial {
namespace {

using Lines = std::vector<std::string>;

class GraderSettings : public testing::Test {
 protected:
  auto read(const std::string& grader, const std::string& config) {
    const auto file =
        folder_.write("testcase.yaml",
                      "name: n\ndescription: d\nrepo: https://git.example.test/small.git\n"
                      "agent: {type: claude-code, config: {prompt: Do it}}\nexpected: solved\n"
                      "evaluators: [{name: " +
                          grader + ", config: " + config + "}]\n");
    return read_test_case(file, options_);
  }
  Lines problems(const std::string& grader, const std::string& config) {
    Lines lines;
    for (const auto& problem : read(grader, config).problems) {
      lines.push_back(without_place(problem));
    }
    return lines;
  }

  test::TempFolder folder_;
  ReadOptions options_;
};

TEST_F(GraderSettings, ThatAreRightHaveNoProblems) {
  const std::vector<std::pair<std::string, std::string>> graders{
      {"git-diff", "{}"},
      {"git-diff",
       "{base_commit: main, assertions: {max_files_changed: 0, min_change_entropy: 0.5}}"},
      {"expected-diff", "{threshold: 0}"},
      {"files", "{exist: a, absent: [b, c]}"},
      {"regex", "{patterns: [{file: a, pattern: x}, {file: b, pattern: y, present: false}]}"},
      {"budget", "{max_cost_usd: 0.5}"},
      {"trajectory", "{required_tools: [Read], max_denials: 0}"},
  };
  for (const auto& [grader, config] : graders) {
    EXPECT_EQ(problems(grader, config), Lines{}) << grader << config;
  }
}

TEST_F(GraderSettings, ThatAreMisspeltAreProblems) {
  const auto expect = [&](const std::string& grader, const std::string& config,
                          const Lines& lines) {
    EXPECT_EQ(problems(grader, config), lines) << grader << config;
  };
  const std::string at = "evaluators.0.config";
  expect("git-diff", "{assertion: {max_files_changed: 1}}",
         {at + ": Unrecognized key(s) in object: 'assertion'"});
  expect("git-diff",
         "{assertions: {max_file_changed: 1, max_lines_added: '5', max_lines_removed: -1}}",
         {at + ".assertions.max_lines_added: Expected number, received string",
          at + ".assertions.max_lines_removed: Number must not be negative",
          at + ".assertions: Unrecognized key(s) in object: 'max_file_changed'"});
  expect("expected-diff", "{threshold: 80}", {at + ".threshold: Number must be from 0 to 1"});
  expect("files", "{exists: a}",
         {at + ": Unrecognized key(s) in object: 'exists'",
          at + ": has nothing to check: needs one of \"exist\", \"absent\""});
  expect("files", "{exist: [1]}", {at + ".exist.0: Expected string, received number"});
  expect("regex", "{patterns: []}", {at + ".patterns: Array must contain at least 1 element(s)"});
  expect("regex", "{patterns: [{file: a, patern: x, present: 'no'}]}",
         {at + ".patterns.0.pattern: Required",
          at + ".patterns.0.present: Expected boolean, received string",
          at + ".patterns.0: Unrecognized key(s) in object: 'patern'"});
  expect("trajectory", "{forbiden_tools: [Bash]}",
         {at + ": Unrecognized key(s) in object: 'forbiden_tools'",
          at + ": has nothing to check: needs one of \"required_tools\", \"forbidden_tools\", "
               "\"max_denials\""});
  EXPECT_EQ(problems("budget", "{max_cost: 1}").size(), 2U);
}

TEST_F(GraderSettings, ThatAreMisspeltAreWarningsAsYb) {
  options_.as_yb = true;
  const auto result = read("git-diff", "{assertion: {}}");
  EXPECT_TRUE(result.problems.empty());
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(without_place(result.warnings[0]),
            "evaluators.0.config: Unrecognized key(s) in object: 'assertion'");
  EXPECT_EQ(problems("command", "{}"), Lines{"evaluators.0.config.command: Required"});
}

TEST_F(GraderSettings, OfAJudgeThatAreMisspeltAreWarnings) {
  const auto result = read("agentic-judge", "{type: builtin, assertions: {a: b}, treshold: 1}");
  EXPECT_TRUE(result.problems.empty());
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(without_place(result.warnings[0]),
            "evaluators.0.config.treshold: unknown key ignored; did you mean 'threshold'?");
}

TEST_F(GraderSettings, HaveASchema) {
  EXPECT_TRUE(input_schema("trajectory").contains("\"forbidden_tools\""));
  EXPECT_EQ(input_schema("other"), "");
}

}  // namespace
}  // namespace ralph::trial
