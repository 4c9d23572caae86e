#include <fmt/format.h>

#include "agent/permission/command_files.h"
#include "agent/permission/harness.h"
#include "agent/permission/rule.h"

/// The cost of a decision, counted in file system lookups.
namespace ralph::permission {
namespace {

namespace fs = std::filesystem;

std::string line_of(int operands, std::string_view command = "cat", std::string_view end = "") {
  std::string line(command);
  for (int i = 0; i < operands; ++i) line += fmt::format(" f{}", i);
  return line + std::string(end);
}

std::size_t lookups_for(Judge& judge, const std::string& text) {
  const auto line = parse_shell_line(text);
  EXPECT_TRUE(line.understood);
  const CommandFiles files(line, judge.desk.workspace().setup(), judge.desk.root(), false);
  for (const auto& command : line.commands) {
    if (const auto reading = reading_command(command)) files.reads_inside(command, *reading);
    if (const auto change = file_command(command)) files.changes_inside(*change);
  }
  files.follows_copy();
  return files.lookups();
}

TEST(DecisionCost, IsLinearInTheOperands) {
  Judge judge;
  fs::create_directories(judge.desk.file("to"));
  EXPECT_EQ(lookups_for(judge, line_of(8000)), 8000U);
  EXPECT_LE(lookups_for(judge, line_of(4000, "cp", " to")), 2U * 4000U + 5U);
  EXPECT_LE(lookups_for(judge, line_of(4000, "cd to && cp", " ..")), 4U * 4000U + 10U);
  EXPECT_TRUE(judge.run(line_of(8000)).allowed);
}

TEST(DecisionCost, LooksUpEachNameOnce) {
  Judge judge;
  std::string line = "cat";
  for (int i = 0; i < 5000; ++i) line += " a/b/../b/c";
  judge.desk.put("a/b/c", "");
  EXPECT_EQ(lookups_for(judge, line), 3U);
}

TEST(DecisionCost, DeniesBeyondTheLimit) {
  Judge judge;
  const std::string folders = "cd a && cd b && cd c && cd d && ";  // 16 of them in the end
  EXPECT_TRUE(judge.run(folders + line_of(10)).allowed);
  EXPECT_FALSE(judge.run(folders + line_of(8000)).allowed);
}

TEST(DecisionCost, WildcardsShareOneLimit) {
  Judge judge;
  for (int i = 0; i < 200; ++i) judge.desk.put(fmt::format("w{}", i), "");
  std::string line = "ls";
  for (int i = 0; i < 50; ++i) line += " w*";
  EXPECT_TRUE(judge.run(line).allowed);
  for (int i = 0; i < 500; ++i) line += " w*";
  EXPECT_FALSE(judge.run(line).allowed);
  std::string deep = "ls ";
  for (int i = 0; i < 40; ++i) deep += ".*/";
  EXPECT_FALSE(judge.run(deep).allowed);
}

TEST(DecisionCost, LongLinesAreDecidedUnderManyRules) {
  Judge judge;
  for (int i = 0; i < 20; ++i) {
    judge.rules.deny.push_back(fmt::format("Bash(zz{} *)", i));
    judge.rules.deny.push_back(fmt::format("Bash(*zz{}*zz*zz)", i));
  }
  EXPECT_TRUE(judge.run(line_of(8000)).allowed);
  EXPECT_FALSE(judge.run(line_of(8000, "taskset 1 strace", " zz3 x"), Mode::bypass).allowed);
  EXPECT_FALSE(judge.run(std::string(100'000, 'a'), Mode::bypass).allowed);  // too long to parse
}

TEST(DecisionCost, PatternsWithManyStarsAreFast) {
  const std::string name(250, 'a');
  EXPECT_FALSE(matches_path("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", "/w/" + name, "/w"));
  EXPECT_FALSE(matches_command(std::string("a*a*a*a*a*a*a*a*a*b"), std::string(60'000, 'a')));
  EXPECT_FALSE(matches_command_within("a*a*a*a*a*a*a*b", std::string(60'000, 'a')));
  std::string deep = "/w";
  for (int i = 0; i < 1000; ++i) deep += "/a";
  EXPECT_FALSE(matches_path("**/a/**/a/**/a/**/a/**/a/**/b", deep, "/w"));
}

TEST(DecisionCost, NamesMatchAsBefore) {
  EXPECT_TRUE(matches_path("a?c", "/w/abc", "/w"));
  EXPECT_TRUE(matches_path("[a-c]x", "/w/bx", "/w"));
  EXPECT_FALSE(matches_path("[!a-c]x", "/w/bx", "/w"));
  EXPECT_TRUE(matches_path("[]x]y", "/w/]y", "/w"));
  EXPECT_TRUE(matches_path("[[:alpha:]]1", "/w/q1", "/w"));
  EXPECT_FALSE(matches_path("[[:digit:]]1", "/w/q1", "/w"));
  EXPECT_TRUE(matches_path("a\\*b", "/w/a*b", "/w"));
  EXPECT_FALSE(matches_path("a\\*b", "/w/axb", "/w"));
  EXPECT_TRUE(matches_path("[x", "/w/[x", "/w"));
}

}  // namespace
}  // namespace ralph::permission
