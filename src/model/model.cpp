#include "model/model.h"

#include <algorithm>

#include "model/read.h"

extern "C" const char ralph_models_json[];
extern "C" const char ralph_models_json_end[];

namespace ralph::model {
namespace {

constexpr std::int64_t kLongWindow = 1'000'000;
constexpr std::string_view kLongWindowMark = "[1m]";

std::string_view without_mark(std::string_view name) {
  if (name.ends_with(kLongWindowMark)) name.remove_suffix(kLongWindowMark.size());
  return name;
}

/// "claude-haiku-4-5-20251001" without its date.
std::string_view without_date(std::string_view name) {
  constexpr std::size_t kDate = sizeof("-20251001") - 1;
  if (name.size() <= kDate) return name;
  const auto date = name.substr(name.size() - kDate);
  const bool dated = date[0] == '-' && date.find_first_not_of("0123456789", 1) == date.npos;
  return dated ? name.substr(0, name.size() - kDate) : name;
}

const Model* find_exactly(const std::vector<Model>& models, std::string_view name) {
  for (const auto& model : models) {
    if (model.id == name) return &model;
  }
  for (const auto& model : models) {
    if (std::find(model.aliases.begin(), model.aliases.end(), name) != model.aliases.end()) {
      return &model;
    }
  }
  return nullptr;
}

double count(std::int64_t tokens) { return static_cast<double>(std::max<std::int64_t>(tokens, 0)); }

const Price& price_for(const std::vector<Price>& prices, const Tokens& tokens) {
  const double prompt = count(tokens.input) + count(tokens.cache_read) +
                        count(tokens.cache_write_5m) + count(tokens.cache_write_1h);
  auto price = prices.rbegin();
  while (price + 1 != prices.rend() && prompt <= count(price->above_tokens)) ++price;
  return *price;
}

}  // namespace

const Table& Table::builtin() {
  static const Table table = [] {
    Table made;
    const std::string_view text(ralph_models_json, ralph_models_json_end);
    made.models_ = read_models(text, "the built-in models.json", {}).value_or(std::vector<Model>());
    return made;
  }();
  return table;
}

Result<Table> Table::with_overrides(std::string_view json_text, std::string_view name) {
  Table table;
  TRY_ASSIGN(table.models_, read_models(json_text, name, builtin().models_));
  return table;
}

const Model* Table::find(std::string_view alias_or_id) const {
  const auto name = without_mark(alias_or_id);
  const Model* model = find_exactly(models_, name);
  return model != nullptr ? model : find_exactly(models_, without_date(name));
}

std::string Table::resolve(std::string_view alias_or_id) const {
  const Model* model = find(alias_or_id);
  if (model == nullptr) return std::string(alias_or_id);
  const auto name = without_mark(alias_or_id);
  const bool is_id = name == model->id || without_date(name) == model->id;
  return is_id ? std::string(name) : model->id;
}

std::optional<double> Table::cost_usd(std::string_view alias_or_id, const Tokens& tokens) const {
  const Model* model = find(alias_or_id);
  if (model == nullptr || model->prices.empty()) return std::nullopt;
  const Price& price = price_for(model->prices, tokens);
  const double micro_usd = count(tokens.input) * price.input + count(tokens.output) * price.output +
                           count(tokens.cache_read) * price.cache_read +
                           count(tokens.cache_write_5m) * price.cache_write_5m +
                           count(tokens.cache_write_1h) * price.cache_write_1h;
  return micro_usd / 1e6;
}

std::int64_t Table::context_window(std::string_view alias_or_id) const {
  const Model* model = find(alias_or_id);
  const auto window = model == nullptr ? kUnknownWindow : model->context_window;
  return alias_or_id.ends_with(kLongWindowMark) ? std::max(window, kLongWindow) : window;
}

}  // namespace ralph::model
