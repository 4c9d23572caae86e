#include "core/model/model.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "core/base/number.h"
#include "core/model/read.h"

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

/// "us.anthropic.claude-haiku-4-5-20251001-v1:0" and "claude-haiku-4-5@20251001" without what the cloud adds.
std::string_view without_cloud(std::string_view name) {
  constexpr std::string_view kVendor = "anthropic.";
  if (const auto vendor = name.find(kVendor); vendor != name.npos)
    name.remove_prefix(vendor + kVendor.size());
  name = name.substr(0, name.find('@'));
  const auto version = name.rfind("-v");
  const bool versioned = version != name.npos && version + 2 < name.size() &&
                         name.find_first_not_of("0123456789:", version + 2) == name.npos;
  return versioned ? name.substr(0, version) : name;
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

/// 0 is a price: that of a model on one's own machine.
std::optional<double> dollars_in(std::string_view text) {
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value) && *value >= 0 ? value : std::nullopt;
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

double cost_usd(const Price& price, const Tokens& tokens) {
  const double micro_usd = count(tokens.input) * price.input + count(tokens.output) * price.output +
                           count(tokens.cache_read) * price.cache_read +
                           count(tokens.cache_write_5m) * price.cache_write_5m +
                           count(tokens.cache_write_1h) * price.cache_write_1h;
  return micro_usd / 1e6;
}

Result<Price> parse_price(std::string_view text) {
  const auto slash = std::min(text.find('/'), text.size());
  const auto input = dollars_in(text.substr(0, slash));
  const auto output = dollars_in(text.substr(std::min(slash + 1, text.size())));
  if (!input || !output) {
    return fail(Code::usage, fmt::format("'{}' is not a price", text),
                "write INPUT/OUTPUT, in US dollars per million tokens: 1.25/10");
  }
  return Price{0, *input, *output, *input, *input, *input};
}

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
  for (const auto id : {name, without_date(name), without_date(without_cloud(name))}) {
    if (const Model* model = find_exactly(models_, id)) return model;
  }
  return nullptr;
}

std::string Table::resolve(std::string_view alias_or_id) const {
  const Model* model = find(alias_or_id);
  if (model == nullptr) return std::string(alias_or_id);
  const auto name = without_mark(alias_or_id);
  const auto is = [&](std::string_view id) {
    return std::ranges::find(model->aliases, id) != model->aliases.end();
  };
  const bool is_alias = is(name) || is(without_date(name));
  return is_alias ? model->id : std::string(name);
}

std::optional<double> Table::cost_usd(std::string_view alias_or_id, const Tokens& tokens) const {
  const Model* model = find(alias_or_id);
  if (model != nullptr && !model->prices.empty())
    return model::cost_usd(price_for(model->prices, tokens), tokens);
  if (!price_of_others_) return std::nullopt;
  return model::cost_usd(*price_of_others_, tokens);
}

std::int64_t Table::context_window(std::string_view alias_or_id) const {
  const Model* model = find(alias_or_id);
  const auto window = model == nullptr ? kUnknownWindow : model->context_window;
  return alias_or_id.ends_with(kLongWindowMark) ? std::max(window, kLongWindow) : window;
}

std::vector<std::string> Table::names() const {
  std::vector<std::string> names;
  for (const auto& model : models_) {
    names.push_back(model.id);
    names.insert(names.end(), model.aliases.begin(), model.aliases.end());
  }
  return names;
}

}  // namespace ralph::model
