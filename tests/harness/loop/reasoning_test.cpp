#include "harness/loop/reasoning.h"

#include <gtest/gtest.h>

namespace ralph::loop {
namespace {

TEST(Reasoning, TheTable) {
  EXPECT_EQ(thinking_tokens("haiku", "high"), 16'384);
  EXPECT_EQ(thinking_tokens("sonnet", "high"), 32'768);
  EXPECT_EQ(thinking_tokens("opus", "high"), 16'384);
  EXPECT_EQ(thinking_tokens("sonnet", "med"), 16'384);
  EXPECT_EQ(thinking_tokens("sonnet", "low"), 8'192);
  EXPECT_EQ(thinking_tokens("opus", "low"), 4'096);
  EXPECT_EQ(thinking_tokens("opus", "none"), 0);
}

TEST(Reasoning, IdsAndAliasesBelongToAFamily) {
  EXPECT_EQ(thinking_tokens("claude-haiku-4-5-20251001", "high"), 16'384);
  EXPECT_EQ(thinking_tokens("us.anthropic.claude-opus-4-6-v1:0", "med"), 8'192);
  EXPECT_EQ(thinking_tokens("best", "high"), 16'384) << "another name of opus";
  EXPECT_EQ(thinking_tokens("gpt-oss", "high"), 32'768) << "like sonnet";
  EXPECT_EQ(thinking_tokens("", "med"), 16'384);
}

TEST(Reasoning, Effort) {
  EXPECT_EQ(effort_of("none"), "");
  EXPECT_EQ(effort_of("low"), "low");
  EXPECT_EQ(effort_of("med"), "medium");
  EXPECT_EQ(effort_of("high"), "high");
}

}  // namespace
}  // namespace ralph::loop
