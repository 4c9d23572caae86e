#include "agent/settings/model_choice.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/contains.h"
#include "core/json/document.h"
#include "core/model/names.h"

namespace ralph::settings {
namespace {

/// Variables that turn caching off for the models whose id has this part.
struct Uncached {
  std::string_view variable, part;
};
constexpr Uncached kUncached[] = {{"DISABLE_PROMPT_CACHING", ""},
                                  {"DISABLE_PROMPT_CACHING_HAIKU", "haiku"},
                                  {"DISABLE_PROMPT_CACHING_SONNET", "sonnet"},
                                  {"DISABLE_PROMPT_CACHING_OPUS", "opus"}};
constexpr const char* kExtraBody = "CLAUDE_CODE_EXTRA_BODY";

api::ShapeOptions shape_options(const Options& options, const Environment& environment) {
  api::ShapeOptions shape;
  shape.effort =
      options.effort.empty() ? environment.get("CLAUDE_CODE_EFFORT_LEVEL") : options.effort;
  shape.thinking_tokens = options.max_thinking_tokens ? options.max_thinking_tokens
                                                      : environment.number("MAX_THINKING_TOKENS");
  shape.thinking = options.thinking;
  shape.display = options.verbose && options.output != Format::text ? "updates" : "omitted";
  if (!options.thinking_display.empty()) shape.display = options.thinking_display;
  const auto output = environment.number("CLAUDE_CODE_MAX_OUTPUT_TOKENS");
  if (output && *output > 0) shape.max_output_tokens = output;
  shape.without_thinking = environment.on("CLAUDE_CODE_DISABLE_THINKING");
  shape.without_adaptive = environment.on("CLAUDE_CODE_DISABLE_ADAPTIVE_THINKING");
  shape.without_betas = environment.on("CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS");
  shape.without_interleaving = environment.on("DISABLE_INTERLEAVED_THINKING");
  shape.betas = options.betas;
  shape.cache_for_an_hour = environment.on("ENABLE_PROMPT_CACHING_1H");
  for (const auto& [variable, part] : kUncached) {
    if (environment.on(variable)) shape.uncached_models.emplace_back(part);
  }
  const auto extra = json::parse(environment.get(kExtraBody), kExtraBody);
  if (extra && extra->is_object()) shape.extra_body = environment.get(kExtraBody);
  return shape;
}

std::string first_of(std::initializer_list<std::string> texts) {
  for (const auto& text : texts) {
    if (!text.empty()) return text;
  }
  return "default";
}

}  // namespace

ModelChoice::ModelChoice(const model::Table& models, const Options& options,
                         const Environment& environment, std::string_view from_settings)
    : models_(models),
      environment_(environment),
      shape_options_(shape_options(options, environment)),
      first_shape_options_(shape_options_) {
  first_ = resolve(
      first_of({options.model, environment.get("ANTHROPIC_MODEL"), std::string(from_settings)}));
  id_ = first_;
  for (const auto& fallback : options.fallback_models) fallbacks_.push_back(resolve(fallback));
}

std::string ModelChoice::resolve(std::string_view alias_or_id) const {
  const auto wanted = alias_or_id.empty() ? std::string_view("default") : alias_or_id;
  const auto* family = std::ranges::find(model::kFamilies, wanted, &model::Family::alias);
  if (family != model::kFamilies.end()) {
    if (auto id = environment_.get(family->variable); !id.empty()) return id;
  }
  return models_.resolve(wanted);
}

std::string ModelChoice::id() const {
  const std::lock_guard lock(mutex_);
  return id_;
}

api::Shape ModelChoice::shape() const {
  const std::lock_guard lock(mutex_);
  return api::shape_for(models_, id_, shape_options_);
}

api::Shape ModelChoice::side_shape(bool small) const {
  const std::lock_guard lock(mutex_);
  auto options = shape_options_;
  options.without_thinking = true;
  return api::shape_for(models_, small ? small_model() : id_, options);
}

std::string ModelChoice::small_model() const {
  if (auto named = environment_.get("ANTHROPIC_SMALL_FAST_MODEL"); !named.empty()) return named;
  constexpr std::string_view kAnthropic = "https://api.anthropic.com";
  const auto endpoint = environment_.get("ANTHROPIC_BASE_URL");
  const bool has_haiku = endpoint.empty() || endpoint == kAnthropic ||
                         endpoint.starts_with(std::string(kAnthropic) + "/") ||
                         !environment_.get("ANTHROPIC_DEFAULT_HAIKU_MODEL").empty();
  return has_haiku ? resolve("haiku") : id_;
}

std::string ModelChoice::id_of(std::string_view alias_or_id) const {
  return alias_or_id.empty() || alias_or_id == "default" ? first_ : resolve(alias_or_id);
}

void ModelChoice::set_thinking(std::optional<std::int64_t> tokens) {
  const std::lock_guard lock(mutex_);
  shape_options_.thinking_tokens = tokens ? tokens : first_shape_options_.thinking_tokens;
}

void ModelChoice::set_thinking_display(std::optional<std::string> display) {
  const std::lock_guard lock(mutex_);
  shape_options_.display = display ? *std::move(display) : first_shape_options_.display;
}

void ModelChoice::set_effort(std::string_view effort) {
  const std::lock_guard lock(mutex_);
  shape_options_.effort = effort;
}

std::string ModelChoice::choose(std::string_view alias_or_id) {
  auto id = id_of(alias_or_id);
  const std::lock_guard lock(mutex_);
  id_ = id;
  return id;
}

std::optional<std::string> ModelChoice::fall_back() {
  const std::lock_guard lock(mutex_);
  std::erase(fallbacks_, id_);
  if (fallbacks_.empty()) return std::nullopt;
  id_ = fallbacks_.front();
  fallbacks_.erase(fallbacks_.begin());
  return id_;
}

std::vector<std::string> ModelChoice::notes() const {
  std::vector<std::string> notes;
  if (!shape_options_.effort.empty() && !contains(model::kEfforts, shape_options_.effort)) {
    notes.push_back(fmt::format("unknown effort '{}'; using the model's default (known: {})",
                                shape_options_.effort, fmt::join(model::kEfforts, ", ")));
  }
  if (shape_options_.extra_body.empty() && !environment_.get(kExtraBody).empty()) {
    notes.push_back(fmt::format("{} is not a JSON object; ignored", kExtraBody));
  }
  const auto* model = models_.find(id());
  if (model == nullptr || model->prices.empty()) {
    const auto& price = model::kPriceOfUnknown;
    notes.push_back(
        fmt::format("the price of '{}' is unknown; counting its tokens at ${} (input) and ${} "
                    "(output) per million",
                    id(), price.input, price.output));
  }
  return notes;
}

}  // namespace ralph::settings
