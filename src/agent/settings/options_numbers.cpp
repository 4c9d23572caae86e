#include <cmath>
#include <limits>
#include <optional>

#include "agent/settings/options_impl.h"
#include "core/base/number.h"
#include "core/base/text.h"

namespace ralph::settings {
namespace {

/// Parses a number as JavaScript does: blanks around it, "" is 0, "0x10", "1e3", "Infinity".
std::optional<double> read_number(std::string_view text) {
  text = trim(text);
  if (text.empty()) return 0;
  const bool negative = text.front() == '-';
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    const auto value = parse_number<std::uint64_t>(text.substr(2), 16);
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
  }
  if (negative || text.front() == '+') text.remove_prefix(1);
  std::optional<double> value;
  if (text == "Infinity") {
    value = std::numeric_limits<double>::infinity();
  } else if (text.find_first_not_of("0123456789.eE+-") == text.npos) {
    value = parse_number<double>(text);
  }
  return value && negative ? -*value : value;
}

/// Rounded up; nullopt: more than a counter holds.
std::optional<std::int64_t> whole(double value) {
  if (std::abs(value) > 9e15) return std::nullopt;
  return static_cast<std::int64_t>(std::ceil(value));
}

}  // namespace

std::string set_max_turns(Draft& draft, const std::string& value) {
  const auto number = read_number(value);
  if (!number) return "must be a number";
  draft.options.max_turns = *number > 0 ? whole(*number) : std::nullopt;
  return {};
}

std::string set_loop_guard(Draft& draft, const std::string& value) {
  const auto number = read_number(value);
  if (!number || !(*number >= 2 || *number == 0)) return "must be 0 or a number of at least 2";
  draft.options.loop_guard = whole(*number);
  return {};
}

std::string set_max_thinking(Draft& draft, const std::string& value) {
  const auto number = read_number(value);
  if (!number) return "must be a number";
  draft.options.max_thinking_tokens = whole(*number);
  return {};
}

std::string set_budget(Draft& draft, const std::string& value) {
  const auto number = read_number(value);
  if (!number || !(*number > 0)) {
    return "--max-budget-usd must be a positive number greater than 0";
  }
  draft.options.max_budget_usd = number;
  return {};
}

std::string check_task_budget(Draft&, const std::string& value) {
  const auto number = read_number(value);
  const bool good = number && *number > 0 && std::floor(*number) == *number;
  return good ? "" : "--task-budget must be a positive integer";
}

}  // namespace ralph::settings
