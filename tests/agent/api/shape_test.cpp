#include <gtest/gtest.h>

#include "agent/api/request.h"

namespace ralph::api {
namespace {

const std::string kEffort = "effort-2025-11-24";
const std::string kUpdates = "thinking-display-updates-2026-08-18";
const std::string kInterleaved = "interleaved-thinking-2025-05-14";

Shape shape(std::string_view model, const ShapeOptions& options = {}) {
  return shape_for(model::Table::builtin(), model, options);
}

TEST(ApiShape, WithoutAWord) {
  using enum ThinkingMode;
  EXPECT_EQ(shape("opus"),
            (Shape{"claude-opus-5-5", 128'000, adaptive, 0, "", "medium", {kEffort}}));
  EXPECT_EQ(shape("claude-sonnet-4-6"),
            (Shape{"claude-sonnet-4-6", 32'000, adaptive, 0, "", "high", {kEffort}}));
  EXPECT_EQ(shape("claude-opus-4-6").max_tokens, 64'000);
  EXPECT_EQ(shape("claude-haiku-4-5-20251001"),
            (Shape{"claude-haiku-4-5-20251001", 32'000, enabled, 31'999, "", "", {kInterleaved}}));
  EXPECT_EQ(shape("claude-3-5-haiku"), (Shape{"claude-3-5-haiku", 8'192, omitted, 0, "", "", {}}));
  EXPECT_EQ(shape("claude-opus-4-7").effort, "xhigh");
}

TEST(ApiShape, ModelsOfOthersAndUnknownOnes) {
  EXPECT_EQ(
      shape("qwen3-coder[1m]", {.effort = "high", .thinking_tokens = 9, .display = "updates"}),
      (Shape{.model = "qwen3-coder", .max_tokens = 32'000}));
  EXPECT_EQ(shape("qwen3-coder", {.max_output_tokens = 5}).max_tokens, 5);
  const auto newer = shape("claude-opus-9");
  EXPECT_EQ(newer, (Shape{.model = "claude-opus-9", .thinking = ThinkingMode::adaptive}));
}

TEST(ApiShape, TheMarkForALongWindowIsNotSent) {
  EXPECT_EQ(shape("sonnet[1m]").model, "claude-sonnet-5-5");
  EXPECT_EQ(shape("claude-sonnet-4-5[1m]").model, "claude-sonnet-4-5");
}

TEST(ApiShape, Effort) {
  for (const auto* level : {"low", "medium", "high", "xhigh", "max"}) {
    EXPECT_EQ(shape("opus", {.effort = level}).effort, level);
  }
  EXPECT_EQ(shape("opus", {.effort = "enormous"}).effort, "medium");
  EXPECT_EQ(shape("claude-sonnet-4-5", {.effort = "low"}).effort, "") << "it takes none";
}

struct TokensCase {
  const char* model;
  std::int64_t tokens;
  ThinkingMode mode;
  std::int64_t budget;
};

TEST(ApiShape, ThinkingTokens) {
  using enum ThinkingMode;
  for (const auto& [model, tokens, mode, budget] : std::vector<TokensCase>{
           {"opus", 16'384, adaptive, 0},
           {"opus", 0, adaptive, 0},
           {"haiku", 0, adaptive, 0},
           {"claude-opus-4-6", 16'384, adaptive, 0},
           {"claude-opus-4-6", 0, disabled, 0},
           {"claude-sonnet-4-5", 16'384, enabled, 16'384},
           {"claude-sonnet-4-5", 0, disabled, 0},
           {"claude-sonnet-4-5", 5, enabled, 1'024},
           {"claude-sonnet-4-5", 999'999, enabled, 31'999},
           {"claude-3-5-haiku", 16'384, omitted, 0},
           {"claude-3-5-haiku", 0, omitted, 0},
       }) {
    const auto made = shape(model, {.thinking_tokens = tokens});
    EXPECT_EQ(made.thinking, mode) << model << " " << tokens;
    EXPECT_EQ(made.thinking_budget, budget) << model << " " << tokens;
  }
}

TEST(ApiShape, WithoutAdaptiveThinking) {
  const ShapeOptions options{.thinking_tokens = 16'384, .without_adaptive = true};
  EXPECT_EQ(shape("claude-opus-4-6", options).thinking, ThinkingMode::enabled);
  EXPECT_EQ(shape("claude-opus-4-6", options).thinking_budget, 16'384);
  EXPECT_EQ(shape("opus", options).thinking, ThinkingMode::adaptive);
  EXPECT_EQ(shape("claude-opus-4-6", {.without_adaptive = true}).thinking_budget, 63'999);
}

TEST(ApiShape, ThinkingTurnedOff) {
  EXPECT_EQ(shape("opus", {.without_thinking = true}).thinking, ThinkingMode::omitted);
  EXPECT_EQ(shape("opus", {.thinking = "disabled"}).thinking, ThinkingMode::adaptive)
      << "the API would refuse it";
  EXPECT_EQ(shape("haiku", {.thinking = "disabled"}).thinking, ThinkingMode::disabled);
  EXPECT_EQ(shape("claude-sonnet-4-5", {.thinking = "disabled"}).thinking, ThinkingMode::disabled);
  const ShapeOptions both{.thinking_tokens = 0, .thinking = "adaptive"};
  EXPECT_EQ(shape("claude-opus-4-6", both).thinking, ThinkingMode::adaptive);
}

TEST(ApiShape, Display) {
  const auto updates = shape("opus", {.display = "updates"});
  EXPECT_EQ(updates.thinking_display, "updates");
  EXPECT_EQ(updates.betas, (std::vector{kEffort, kUpdates}));
  const auto omitted = shape("opus", {.display = "omitted"});
  EXPECT_EQ(omitted.thinking_display, "omitted");
  EXPECT_EQ(omitted.betas, (std::vector{kEffort}));
  EXPECT_EQ(shape("claude-sonnet-4-5", {.display = "updates"}).thinking_display, "");
}

TEST(ApiShape, WithoutBetas) {
  const auto made = shape("opus", {.display = "updates", .without_betas = true});
  EXPECT_EQ(made.thinking_display, "");
  EXPECT_EQ(made.betas, std::vector<std::string>{});
  EXPECT_EQ(made.effort, "medium");
  EXPECT_EQ(made.thinking, ThinkingMode::adaptive);
}

TEST(ApiShape, MaxTokensAndTheBudgetBelowThem) {
  EXPECT_EQ(shape("opus", {.max_output_tokens = 4'000}).max_tokens, 4'000);
  EXPECT_EQ(shape("opus", {.max_output_tokens = 0}).max_tokens, 128'000);
  EXPECT_EQ(shape("claude-haiku-4-5", {.max_output_tokens = 4'000}).thinking_budget, 3'999);
  EXPECT_EQ(shape("claude-haiku-4-5", {.max_output_tokens = 1'000}).thinking,
            ThinkingMode::disabled);
}

TEST(ApiShape, Caching) {
  EXPECT_EQ(shape("opus").caching, Caching::five_minutes);
  const auto hour = shape("opus", {.cache_for_an_hour = true});
  EXPECT_EQ(hour.caching, Caching::hour);
  EXPECT_EQ(hour.betas.back(), "extended-cache-ttl-2025-04-11");
  EXPECT_EQ(shape("opus", {.cache_for_an_hour = true, .uncached_models = {""}}).caching,
            Caching::none);
  EXPECT_EQ(shape("opus", {.uncached_models = {"opus"}}).caching, Caching::none);
  EXPECT_EQ(shape("sonnet", {.uncached_models = {"opus"}}).caching, Caching::five_minutes);
}

TEST(ApiShape, BetasOfTheUserAreAddedOnce) {
  EXPECT_EQ(shape("opus", {.betas = {"a-2026", kEffort, "b"}}).betas,
            (std::vector<std::string>{kEffort, "a-2026", "b"}));
  EXPECT_EQ(shape("opus", {.without_betas = true, .betas = {"a"}}).betas,
            std::vector<std::string>{"a"});
  EXPECT_EQ(shape("claude-haiku-4-5", {.without_interleaving = true}).betas,
            std::vector<std::string>());
}

}  // namespace
}  // namespace ralph::api
