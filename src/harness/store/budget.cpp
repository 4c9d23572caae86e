#include "harness/store/budget.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/json/field.h"
#include "harness/store/state_file.h"

namespace ralph::store {
namespace {

using json::Document;

constexpr auto kTotalCost = "total_cost_usd";
constexpr auto kMaxCost = "max_cost_usd";
constexpr auto kIterations = "iterations";
constexpr auto kMaxIterations = "max_iterations";

/// Above this not every whole number is a double any more.
constexpr double kMostWhole = 9'007'199'254'740'992.0;

bool is_amount(const Document& value) {
  return value.is_null() || (value.is_number() && value.get<double>() >= 0);
}

bool is_count(const Document& value) {
  if (!is_amount(value) || value.is_null()) return value.is_null();
  const auto number = value.get<double>();
  return number <= kMostWhole && number == std::floor(number);
}

bool is_valid_budget(const Document& root) {
  for (const auto& [key, value] : root.items()) {
    if ((key == kTotalCost || key == kMaxCost) && !is_amount(value)) return false;
    if ((key == kIterations || key == kMaxIterations) && !is_count(value)) return false;
  }
  return true;
}

/// Of a valid budget: a whole number.
std::optional<std::int64_t> count_in(const Document& root, std::string_view name) {
  const auto number = json::number(root, name);
  return number ? std::optional(static_cast<std::int64_t>(*number)) : std::nullopt;
}

template <typename Number>
Document or_null(const std::optional<Number>& value) {
  return value ? Document(*value) : Document();
}

}  // namespace

Result<Budget> load_budget(const Location& file, std::string& warning) {
  TRY_ASSIGN(const auto root, load_state(file, is_valid_budget, warning));
  return Budget{.total_cost_usd = json::number(root, kTotalCost).value_or(0),
                .max_cost_usd = json::number(root, kMaxCost),
                .iterations = count_in(root, kIterations).value_or(0),
                .max_iterations = count_in(root, kMaxIterations)};
}

Result<> save_budget(const Location& file, const Budget& budget) {
  std::string warning;  // the next load reports it
  TRY_ASSIGN(auto root, load_state(file, is_valid_budget, warning));
  root[kTotalCost] = budget.total_cost_usd;
  root[kMaxCost] = or_null(budget.max_cost_usd);
  root[kIterations] = budget.iterations;
  root[kMaxIterations] = or_null(budget.max_iterations);
  return save_state(file, root);
}

}  // namespace ralph::store
