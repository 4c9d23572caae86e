#include "agent/session/ledger.h"

#include <algorithm>
#include <utility>

namespace ralph::session {
namespace {

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
  const double tokens = models_.cost_usd(model, usage.tokens())
                            .value_or(model::cost_usd(model::kPriceOfUnknown, usage.tokens()));
  const auto searches = static_cast<double>(usage.web_search_requests);
  const double cost = tokens + searches * model::kPriceOfWebSearch;
  const std::lock_guard lock(mutex_);
  add_to(totals_, model, usage, cost);
  add_to(recent_, model, usage, cost);
}

void Ledger::reset(std::vector<ModelTotal> before) {
  const std::lock_guard lock(mutex_);
  totals_ = std::move(before);
  recent_.clear();
}

double Ledger::cost_usd() const {
  const std::lock_guard lock(mutex_);
  double sum = 0;
  for (const auto& total : totals_) sum += total.cost_usd;
  return sum;
}

std::vector<ModelTotal> Ledger::totals() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

std::vector<ModelTotal> Ledger::since_last_result() const {
  const std::lock_guard lock(mutex_);
  return recent_;
}

void Ledger::next_result() {
  const std::lock_guard lock(mutex_);
  recent_.clear();
}

}  // namespace ralph::session
