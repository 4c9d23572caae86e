#include <algorithm>
#include <array>

#include "agent/api/request.h"
#include "core/base/contains.h"
#include "core/model/names.h"

namespace ralph::api {
namespace {

constexpr std::int64_t kDefaultMaxTokens = 32'000;
constexpr std::int64_t kLeastBudget = 1'024;
constexpr std::string_view kLongWindowMark = "[1m]";

constexpr std::string_view kEffortBeta = "effort-2025-11-24";
constexpr std::string_view kUpdatesBeta = "thinking-display-updates-2026-08-18";
constexpr std::string_view kInterleavedBeta = "interleaved-thinking-2025-05-14";
constexpr std::string_view kHourBeta = "extended-cache-ttl-2025-04-11";

/// How models with adaptive thinking use a budget of thinking tokens.
struct Family {
  std::string_view mark;  // in the id; empty: all others
  bool zero_disables;     // thinking_tokens 0 turns thinking off
  bool takes_budget;      // without_adaptive gives it a budget
};

constexpr auto kFamilies = std::to_array<Family>({
    {"-4-6", true, true},
    {"-5-5", false, false},
    {"", true, false},
});

const Family& family_of(std::string_view id) {
  return *std::ranges::find_if(
      kFamilies, [&](const Family& family) { return id.find(family.mark) != id.npos; });
}

/// What a model supports; for Claude models newer than the table, cautious assumptions.
struct Abilities {
  model::Thinking thinking = model::Thinking::none;
  std::int64_t max_tokens = kDefaultMaxTokens;
  std::string effort;
  bool takes_effort = false;
};

Abilities abilities_of(const model::Table& models, std::string_view name) {
  if (const auto* known = models.find(name)) {
    const auto max_tokens = known->max_output > 0 ? known->max_output : kDefaultMaxTokens;
    return {known->thinking, max_tokens, known->default_effort, !known->default_effort.empty()};
  }
  if (!name.starts_with("claude-")) return {};
  return {.thinking = model::Thinking::adaptive, .takes_effort = true};
}

void set_budget(Shape& shape, const ShapeOptions& options) {
  const auto most = shape.max_tokens - 1;
  const auto wanted = options.thinking_tokens.value_or(most);
  if (wanted <= 0 || most < kLeastBudget) {
    shape.thinking = ThinkingMode::disabled;
    return;
  }
  shape.thinking = ThinkingMode::enabled;
  shape.thinking_budget = std::clamp(wanted, kLeastBudget, most);
}

void set_adaptive(Shape& shape, const ShapeOptions& options) {
  const auto& family = family_of(shape.model);
  const bool unwanted = options.thinking_tokens.value_or(1) <= 0 && options.thinking != "adaptive";
  if (unwanted && family.zero_disables) {
    shape.thinking = ThinkingMode::disabled;
  } else if (options.without_adaptive && family.takes_budget) {
    set_budget(shape, options);
  } else {
    shape.thinking = ThinkingMode::adaptive;
  }
}

void set_thinking(Shape& shape, model::Thinking accepted, const ShapeOptions& options) {
  if (accepted == model::Thinking::none || options.without_thinking) return;
  if (accepted == model::Thinking::always) {
    shape.thinking = ThinkingMode::adaptive;
  } else if (options.thinking == "disabled") {
    shape.thinking = ThinkingMode::disabled;
  } else if (accepted == model::Thinking::budget) {
    set_budget(shape, options);
  } else {
    set_adaptive(shape, options);
  }
  const bool shown = shape.thinking == ThinkingMode::adaptive && !options.without_betas;
  if (shown) shape.thinking_display = options.display;
}

void set_caching(Shape& shape, const ShapeOptions& options) {
  const auto named = [&](const std::string& part) {
    return shape.model.find(part) != std::string::npos;
  };
  if (std::ranges::any_of(options.uncached_models, named)) {
    shape.caching = Caching::none;
  } else if (options.cache_for_an_hour) {
    shape.caching = Caching::hour;
  }
}

void set_betas(Shape& shape, const ShapeOptions& options) {
  if (!shape.effort.empty()) shape.betas.emplace_back(kEffortBeta);
  if (shape.thinking_display == "updates") shape.betas.emplace_back(kUpdatesBeta);
  if (shape.thinking == ThinkingMode::enabled && !options.without_interleaving) {
    shape.betas.emplace_back(kInterleavedBeta);
  }
  if (shape.caching == Caching::hour) shape.betas.emplace_back(kHourBeta);
}

}  // namespace

Shape shape_for(const model::Table& models, std::string_view alias_or_id,
                const ShapeOptions& options) {
  auto name = alias_or_id;
  if (name.ends_with(kLongWindowMark)) name.remove_suffix(kLongWindowMark.size());
  const auto abilities = abilities_of(models, name);
  Shape shape;
  shape.model = models.resolve(name);
  shape.max_tokens = abilities.max_tokens;
  if (options.max_output_tokens.value_or(0) > 0) shape.max_tokens = *options.max_output_tokens;
  if (abilities.takes_effort) {
    const bool known = contains(model::kEfforts, options.effort);
    shape.effort = known ? options.effort : abilities.effort;
  }
  set_thinking(shape, abilities.thinking, options);
  set_caching(shape, options);
  if (!options.without_betas) set_betas(shape, options);
  for (const auto& beta : options.betas) {
    if (std::ranges::find(shape.betas, beta) == shape.betas.end()) shape.betas.push_back(beta);
  }
  shape.extra_body = options.extra_body;
  return shape;
}

}  // namespace ralph::api
