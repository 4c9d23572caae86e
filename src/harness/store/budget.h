#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "harness/store/location.h"

namespace ralph::store {

/// `state/budget.json`: {total_cost_usd, max_cost_usd, iterations, max_iterations}; what has no limit is
/// null. Keys we do not know are kept; a file that cannot be read, or has a negative value, is moved aside
/// ("….bad-<time>") and named in `warning`.
struct Budget {
  double total_cost_usd = 0;
  std::optional<double> max_cost_usd;
  std::int64_t iterations = 0;
  std::optional<std::int64_t> max_iterations;
  bool operator==(const Budget&) const = default;
};
Result<Budget> load_budget(const Location& file, std::string& warning);
Result<> save_budget(const Location& file, const Budget& budget);

}  // namespace ralph::store
