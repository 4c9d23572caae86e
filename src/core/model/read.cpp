#include "core/model/read.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/json/document.h"

namespace ralph::model {
namespace {

using json::Document;

constexpr std::int64_t kMostTokens = 1'000'000'000'000;
constexpr std::int64_t kUnknownMaxOutput = 32'000;

struct ThinkingName {
  std::string_view name;
  Thinking thinking;
};
constexpr std::array<ThinkingName, 4> kThinkingNames{{{"none", Thinking::none},
                                                      {"budget", Thinking::budget},
                                                      {"adaptive", Thinking::adaptive},
                                                      {"always", Thinking::always}}};

struct PriceKey {
  std::string_view name;
  double Price::* member;
};
constexpr std::array<PriceKey, 5> kPriceKeys{{{"input", &Price::input},
                                              {"output", &Price::output},
                                              {"cache_read", &Price::cache_read},
                                              {"cache_write_5m", &Price::cache_write_5m},
                                              {"cache_write_1h", &Price::cache_write_1h}}};

/// One value of a row, and where it stands: "models.json, model 'x': 'window'".
struct Field {
  std::string where;
  const Document& value;

  std::unexpected<Error> must_be(std::string_view what) const {
    return fail(Code::config,
                fmt::format("{} must be {}, not {}", where, what,
                            value.is_structured() ? "what is there" : json::write(value)));
  }
};

Result<> read_tokens(const Field& field, std::int64_t least, std::int64_t& out) {
  if (!field.value.is_number_integer() || field.value < least || field.value > kMostTokens) {
    return field.must_be(fmt::format("a whole number of at least {}", least));
  }
  out = field.value.get<std::int64_t>();
  return {};
}

Result<> read_text(const Field& field, std::string& out) {
  if (!field.value.is_string()) return field.must_be("a text");
  out = field.value.get<std::string>();
  return {};
}

Result<> read_aliases(const Field& field, std::vector<std::string>& out) {
  if (!field.value.is_array()) return field.must_be("a list of names");
  out.clear();
  for (const auto& alias : field.value) {
    if (!alias.is_string() || alias.get_ref<const std::string&>().empty())
      return field.must_be("a list of names");
    out.push_back(alias.get<std::string>());
  }
  return {};
}

Result<> read_thinking(const Field& field, Thinking& out) {
  for (const auto& [name, thinking] : kThinkingNames) {
    if (field.value == name) {
      out = thinking;
      return {};
    }
  }
  return field.must_be("none, budget, adaptive or always");
}

Result<> read_price_key(const Field& field, std::string_view key, Price& price) {
  if (key == "above") return read_tokens(field, 0, price.above_tokens);
  for (const auto& [name, member] : kPriceKeys) {
    if (key != name) continue;
    if (!field.value.is_number() || field.value < 0) {
      return field.must_be("USD per million tokens, 0 or more");
    }
    price.*member = field.value.get<double>();
    return {};
  }
  return fail(Code::config, field.where + " is not a known key");
}

/// Cache prices default to the price of input.
Result<Price> read_price(const Field& field) {
  if (!field.value.is_object() || !field.value.contains("input") ||
      !field.value.contains("output")) {
    return field.must_be("a list of objects with at least 'input' and 'output'");
  }
  Price price;
  TRY(read_price_key({field.where + " 'input'", field.value["input"]}, "input", price));
  price.cache_read = price.cache_write_5m = price.cache_write_1h = price.input;
  for (const auto& [key, value] : field.value.items()) {
    TRY(read_price_key({fmt::format("{} '{}'", field.where, key), value}, key, price));
  }
  return price;
}

Result<> read_prices(const Field& field, std::vector<Price>& out) {
  if (!field.value.is_array()) return field.must_be("a list of prices");
  out.clear();
  for (const auto& value : field.value) {
    TRY_ASSIGN(const Price price, read_price({field.where, value}));
    if (out.empty() ? price.above_tokens != 0 : price.above_tokens <= out.back().above_tokens) {
      return fail(Code::config, field.where + ": 'above' must start at 0 and increase");
    }
    out.push_back(price);
  }
  return {};
}

Result<> read_key(const Field& field, std::string_view key, Model& model) {
  if (key == "id") return read_text(field, model.id);
  if (key == "aliases") return read_aliases(field, model.aliases);
  if (key == "window") return read_tokens(field, 1, model.context_window);
  if (key == "max_output") return read_tokens(field, 1, model.max_output);
  if (key == "thinking") return read_thinking(field, model.thinking);
  if (key == "effort") return read_text(field, model.default_effort);
  if (key == "max_thinking_tokens") return read_tokens(field, 0, model.max_thinking_tokens);
  if (key == "cache_minimum") return read_tokens(field, 0, model.cache_minimum);
  if (key == "prices") return read_prices(field, model.prices);
  return fail(Code::config, field.where + " is not a known key",
              "known keys: id, aliases, window, max_output, thinking, effort, max_thinking_tokens, "
              "cache_minimum, prices");
}

Model& row_of(std::vector<Model>& models, const std::string& id) {
  const auto found = std::find_if(models.begin(), models.end(),
                                  [&](const Model& model) { return model.id == id; });
  if (found != models.end()) return *found;
  Model model;
  model.id = id;
  model.context_window = kUnknownWindow;
  model.max_output = kUnknownMaxOutput;
  return models.emplace_back(std::move(model));
}

void take_aliases_from_others(std::vector<Model>& models, const Model& owner) {
  for (auto& model : models) {
    if (&model == &owner) continue;
    std::erase_if(model.aliases, [&](const std::string& alias) {
      return std::find(owner.aliases.begin(), owner.aliases.end(), alias) != owner.aliases.end();
    });
  }
}

Result<> read_row(const Document& row, std::string_view name, std::vector<Model>& models) {
  const auto id = row.is_object() ? row.find("id") : row.end();
  if (id == row.end() || !id->is_string() || id->get_ref<const std::string&>().empty()) {
    return fail(Code::config, fmt::format("{}: a model has no 'id'", name));
  }
  const auto where = fmt::format("{}, model '{}'", name, id->get<std::string>());
  Model& model = row_of(models, id->get<std::string>());
  for (const auto& [key, value] : row.items()) {
    TRY(read_key({fmt::format("{}: '{}'", where, key), value}, key, model));
  }
  take_aliases_from_others(models, model);
  return {};
}

}  // namespace

Result<std::vector<Model>> read_models(std::string_view json_text, std::string_view name,
                                       std::vector<Model> models) {
  TRY_ASSIGN(const auto document, json::parse(json_text, name));
  if (!document.is_object() || document.size() != 1 || !document.contains("models") ||
      !document["models"].is_array()) {
    return fail(Code::config,
                fmt::format("{} must be an object with one key, 'models', a list", name),
                R"(for example {"models": [{"id": "my-model", "window": 32000}]})");
  }
  for (const auto& row : document["models"]) TRY(read_row(row, name, models));
  return models;
}

}  // namespace ralph::model
