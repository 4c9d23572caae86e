#include "agent/session/ledger.h"

#include <algorithm>
#include <utility>

#include "core/json/writer.h"

namespace ralph::session {
namespace {

constexpr std::int64_t kUnknownMaxOutput = 32'000;

void add_to(std::vector<ModelTotal>& totals, const std::string& model, const api::Usage& usage,
            double cost_usd) {
  auto found = std::ranges::find(totals, model, &ModelTotal::model);
  if (found == totals.end()) found = totals.insert(totals.end(), ModelTotal{model, {}, 0});
  found->usage += usage;
  found->cost_usd += cost_usd;
}

}  // namespace

Ledger::Ledger(const model::Table& models, std::vector<ModelTotal> before)
    : models_(models), totals_(std::move(before)) {}

void Ledger::add(const std::string& model, const api::Usage& usage) {
  const double cost = models_.cost_usd(model, usage.tokens())
                          .value_or(model::cost_usd(model::kPriceOfUnknown, usage.tokens()));
  add_to(totals_, model, usage, cost);
  add_to(recent_, model, usage, cost);
}

void Ledger::reset(std::vector<ModelTotal> before) {
  totals_ = std::move(before);
  recent_.clear();
}

double Ledger::cost_usd() const {
  double sum = 0;
  for (const auto& total : totals_) sum += total.cost_usd;
  return sum;
}

std::string Ledger::json_of(const std::vector<ModelTotal>& totals) const {
  std::string all;
  json::ObjectWriter models(all);
  for (const auto& total : totals) {
    const auto* model = models_.find(total.model);
    const bool priced = model != nullptr && !model->prices.empty();
    std::string one;
    json::ObjectWriter(one)
        .number("inputTokens", total.usage.input_tokens)
        .number("outputTokens", total.usage.output_tokens)
        .number("cacheReadInputTokens", total.usage.cache_read_input_tokens)
        .number("cacheCreationInputTokens", total.usage.cache_creation_input_tokens)
        .number("webSearchRequests", total.usage.web_search_requests)
        .number("costUSD", total.cost_usd)
        .number("contextWindow", models_.context_window(total.model))
        .number("maxOutputTokens", model == nullptr ? kUnknownMaxOutput : model->max_output)
        .number("thinkingTokens", total.usage.thinking_tokens)
        .number("cacheCreationEphemeral5mInputTokens", total.usage.cache_creation_5m)
        .number("cacheCreationEphemeral1hInputTokens", total.usage.cache_creation_1h)
        .text("canonicalModel", model == nullptr ? total.model : model->id)
        .text("provider", "firstParty")
        .text("costBasis", priced ? "list" : "unknown")
        .close();
    models.raw(total.model, one);
  }
  models.close();
  return all;
}

}  // namespace ralph::session
