#include "agent/api/usage.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ralph::api {
namespace {

Usage merged(Usage usage, std::string_view json) {
  usage.merge(json::parse(json).value());
  return usage;
}

TEST(ApiUsage, AllItsFields) {
  const auto usage = merged({}, R"({"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,
    "cache_creation_input_tokens":9,"cache_creation":{"ephemeral_5m_input_tokens":4,
    "ephemeral_1h_input_tokens":5},"output_tokens_details":{"thinking_tokens":6},
    "server_tool_use":{"web_search_requests":7,"web_fetch_requests":8}})");
  EXPECT_EQ(usage, (Usage{1, 2, 3, 9, 4, 5, 6, 7, 8}));
}

TEST(ApiUsage, KeepsCountsThatAreMissing) {
  const Usage start{.input_tokens = 10, .output_tokens = 1, .cache_read_input_tokens = 5};
  EXPECT_EQ(merged(start, R"({"output_tokens":7})"), (Usage{10, 7, 5}));
  EXPECT_EQ(merged(start, R"({"input_tokens":null,"cache_read_input_tokens":0})"), start);
  EXPECT_EQ(merged(start, R"({"output_tokens":0})").output_tokens, 0);
}

TEST(ApiUsage, WhatIsNoUsageChangesNothing) {
  const Usage start{.input_tokens = 10};
  for (const auto* text : {"null", "[]", "7", R"("x")", R"({"input_tokens":"7"})",
                           R"({"input_tokens":-7})", R"({"cache_creation":[1]})"}) {
    EXPECT_EQ(merged(start, text), start) << text;
  }
}

TEST(ApiUsage, HugeNumbersCanBeAdded) {
  auto usage = merged({}, R"({"input_tokens":1e300})");
  for (int i = 0; i < 100; ++i) usage += merged({}, R"({"input_tokens":9223372036854775807})");
  EXPECT_GT(usage.input_tokens, 0);
}

TEST(ApiUsage, TokensOfUnknownLifetimeAreKeptForFiveMinutes) {
  const Usage usage{.input_tokens = 1,
                    .output_tokens = 2,
                    .cache_read_input_tokens = 3,
                    .cache_creation_input_tokens = 100,
                    .cache_creation_5m = 10,
                    .cache_creation_1h = 20};
  const auto tokens = usage.tokens();
  EXPECT_EQ(tokens.input, 1);
  EXPECT_EQ(tokens.output, 2);
  EXPECT_EQ(tokens.cache_read, 3);
  EXPECT_EQ(tokens.cache_write_5m, 80);
  EXPECT_EQ(tokens.cache_write_1h, 20);
  EXPECT_EQ((Usage{.cache_creation_5m = 5}.tokens().cache_write_5m), 5);
}

TEST(ApiUsage, ASum) {
  Usage sum{1, 2, 3, 4, 5, 6, 7, 8, 9};
  sum += {1, 1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(sum, (Usage{2, 3, 4, 5, 6, 7, 8, 9, 10}));
}

}  // namespace
}  // namespace ralph::api
