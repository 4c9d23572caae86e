#include "agent/hook/matcher.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace ralph::hook {
namespace {

bool matches(std::string pattern, std::string_view subject) {
  const auto matcher = Matcher::compile(std::move(pattern));
  EXPECT_TRUE(matcher.has_value());
  return matcher && matcher->matches(subject);
}

TEST(Matcher, NothingAndAStarMatchEverything) {
  for (const auto* all : {"", "*"}) EXPECT_TRUE(matches(all, "Bash")) << all;
  EXPECT_TRUE(matches("Bash", "")) << "the event has no subject";
}

TEST(Matcher, NamesMatchAsAWhole) {
  EXPECT_TRUE(matches("Edit", "Edit"));
  EXPECT_FALSE(matches("Edit", "NotebookEdit"));
  EXPECT_FALSE(matches("Edit", "edit"));
  EXPECT_TRUE(matches("Edit|Write", "Write"));
  EXPECT_TRUE(matches("|Edit|", "Edit"));
  EXPECT_FALSE(matches("Edit|Write", "Writer"));
}

TEST(Matcher, OtherPatternsAreSearched) {
  EXPECT_TRUE(matches("mcp__.*", "mcp__db__query"));
  EXPECT_TRUE(matches("Notebook.*", "NotebookEdit"));
  EXPECT_TRUE(matches("dit$", "NotebookEdit"));
  EXPECT_FALSE(matches("^Edit", "NotebookEdit"));
  EXPECT_FALSE(matches("mcp__db.*", "Bash"));
}

TEST(Matcher, TheFormerNameOfAToolMatches) {
  EXPECT_TRUE(matches("Task", "Agent"));
  EXPECT_TRUE(matches("Bash|Task", "Agent"));
  EXPECT_FALSE(matches("Agent", "Task"));
}

TEST(Matcher, ABrokenPatternIsAnError) {
  for (const auto* broken : {"Edit(", "[a", "(?<", "a{2,1}."}) {
    EXPECT_FALSE(Matcher::compile(broken).has_value()) << broken;
  }
}

TEST(Matcher, OneWithoutANameIsAnError) {
  for (const auto* empty : {"|", "||"}) EXPECT_FALSE(Matcher::compile(empty).has_value()) << empty;
}

/// It cannot be said that the hook is not for the subject, so it runs.
TEST(Matcher, APatternThatTakesTooLongMatches) {
  EXPECT_TRUE(matches("^(a+)+$", std::string(5000, 'a') + "!"));
}

}  // namespace
}  // namespace ralph::hook
