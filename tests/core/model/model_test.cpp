#include "core/model/model.h"

#include <set>

#include <gtest/gtest.h>

namespace ralph::model {
namespace {

const Table& table() { return Table::builtin(); }

const Tokens kMillionOfEach{1'000'000, 1'000'000, 1'000'000, 1'000'000, 1'000'000};

TEST(Model, EveryAliasIsResolved) {
  const struct {
    std::string_view alias;
    std::string_view id;
  } rows[] = {{"default", "claude-opus-5-5"},
              {"best", "claude-opus-5-5"},
              {"opus", "claude-opus-5-5"},
              {"opus[1m]", "claude-opus-5-5"},
              {"sonnet", "claude-sonnet-5-5"},
              {"sonnet[1m]", "claude-sonnet-5-5"},
              {"opusplan", "claude-sonnet-5-5"},
              {"haiku", "claude-haiku-5-5"},
              {"fable", "claude-fable-5-2"},
              {"claude-opus-4-1", "claude-opus-5-5"},
              {"claude-opus-4-1-20250805", "claude-opus-5-5"}};
  for (const auto& row : rows) {
    EXPECT_EQ(table().resolve(row.alias), row.id) << row.alias;
    ASSERT_NE(table().find(row.alias), nullptr) << row.alias;
    EXPECT_EQ(table().find(row.alias)->id, row.id) << row.alias;
  }
}

TEST(Model, IdsAndUnknownNamesStayAsTheyAre) {
  for (const std::string_view name : {"claude-opus-4-6", "claude-haiku-4-5-20251001", "llama-4", "",
                                      "llama-4[1m]", "Opus", "claude-opus-4-6-2025"}) {
    EXPECT_EQ(table().resolve(name), name);
  }
  EXPECT_EQ(table().resolve("claude-sonnet-4-6[1m]"), "claude-sonnet-4-6");
}

TEST(Model, DatedIdsAreFound) {
  ASSERT_NE(table().find("claude-haiku-4-5-20251001"), nullptr);
  EXPECT_EQ(table().find("claude-haiku-4-5-20251001")->id, "claude-haiku-4-5");
  EXPECT_EQ(table().find("claude-3-5-haiku-20241022")->id, "claude-3-5-haiku");
  for (const std::string_view name : {"claude-haiku-4-5-2025100x", "claude-haiku-4-5-2025100",
                                      "claude-haiku-4-5+20251001", "-20251001", "claude-haiku-4"}) {
    EXPECT_EQ(table().find(name), nullptr) << name;
  }
}

TEST(Model, UnknownModelsHaveNoPriceAndAnOrdinaryWindow) {
  EXPECT_EQ(table().find("llama-4"), nullptr);
  EXPECT_EQ(table().cost_usd("llama-4", kMillionOfEach), std::nullopt);
  EXPECT_EQ(table().context_window("llama-4"), 200'000);
  EXPECT_EQ(table().context_window("llama-4[1m]"), 1'000'000);
  EXPECT_EQ(table().find(""), nullptr);
}

TEST(Model, EveryRowHasItsLimits) {
  const struct {
    std::string_view id;
    std::int64_t window, max_output;
    Thinking thinking;
    std::string_view effort;
  } rows[] = {{"claude-haiku-5-5", 1'000'000, 128'000, Thinking::adaptive, "medium"},
              {"claude-sonnet-5-5", 1'000'000, 128'000, Thinking::always, "medium"},
              {"claude-opus-5-5", 1'000'000, 128'000, Thinking::always, "medium"},
              {"claude-fable-5-2", 1'000'000, 128'000, Thinking::always, "medium"},
              {"claude-fable-5", 1'000'000, 64'000, Thinking::always, "high"},
              {"claude-mythos-5", 1'000'000, 64'000, Thinking::always, "high"},
              {"claude-opus-5", 1'000'000, 64'000, Thinking::adaptive, "high"},
              {"claude-opus-4-8", 1'000'000, 64'000, Thinking::adaptive, "high"},
              {"claude-opus-4-7", 1'000'000, 64'000, Thinking::adaptive, "xhigh"},
              {"claude-opus-4-6", 200'000, 64'000, Thinking::adaptive, "high"},
              {"claude-opus-4-5", 200'000, 32'000, Thinking::budget, "high"},
              {"claude-sonnet-5", 1'000'000, 64'000, Thinking::adaptive, "high"},
              {"claude-sonnet-4-6", 200'000, 32'000, Thinking::adaptive, "high"},
              {"claude-sonnet-4-5", 200'000, 32'000, Thinking::budget, ""},
              {"claude-haiku-4-5", 200'000, 32'000, Thinking::budget, ""},
              {"claude-3-5-haiku", 200'000, 8'192, Thinking::none, ""}};
  for (const auto& row : rows) {
    const Model* model = table().find(row.id);
    ASSERT_NE(model, nullptr) << row.id;
    EXPECT_EQ(table().context_window(row.id), row.window) << row.id;
    EXPECT_EQ(model->max_output, row.max_output) << row.id;
    EXPECT_EQ(model->thinking, row.thinking) << row.id;
    EXPECT_EQ(model->default_effort, row.effort) << row.id;
  }
  EXPECT_EQ(table().models().size(), std::size(rows)) << "a row of models.json is not tested here";
}

TEST(Model, EveryRowHasItsPrices) {
  const struct {
    std::string_view id;
    double input, output, read, write_5m, write_1h;
  } rows[] = {{"claude-haiku-5-5", 0.1, 0.5, 0.01, 0.125, 0.2},
              {"claude-sonnet-5-5", 2, 10, 0.1, 2.5, 4},
              {"claude-opus-5-5", 4, 20, 0.2, 5, 8},
              {"claude-fable-5-2", 8, 40, 0.2, 10, 16},
              {"claude-fable-5", 10, 50, 1, 12.5, 20},
              {"claude-mythos-5", 10, 50, 1, 12.5, 20},
              {"claude-opus-5", 5, 25, 0.5, 6.25, 10},
              {"claude-opus-4-8", 5, 25, 0.5, 6.25, 10},
              {"claude-opus-4-7", 5, 25, 0.5, 6.25, 10},
              {"claude-opus-4-6", 5, 25, 0.5, 6.25, 10},
              {"claude-opus-4-5", 5, 25, 0.5, 6.25, 10},
              {"claude-sonnet-5", 2, 10, 0.2, 2.5, 4},
              {"claude-sonnet-4-6", 3, 15, 0.3, 3.75, 6},
              {"claude-sonnet-4-5", 3, 15, 0.3, 3.75, 6},
              {"claude-haiku-4-5", 1, 5, 0.1, 1.25, 2},
              {"claude-3-5-haiku", 0.8, 4, 0.08, 1, 1.6}};
  constexpr std::int64_t k = 10'000;  // one hundredth of a million: below every step
  for (const auto& row : rows) {
    const auto cost = [&](const Tokens& tokens) {
      return table().cost_usd(row.id, tokens).value_or(-1);
    };
    EXPECT_DOUBLE_EQ(cost({k, 0, 0, 0, 0}), row.input / 100) << row.id;
    EXPECT_DOUBLE_EQ(cost({0, k, 0, 0, 0}), row.output / 100) << row.id;
    EXPECT_DOUBLE_EQ(cost({0, 0, k, 0, 0}), row.read / 100) << row.id;
    EXPECT_DOUBLE_EQ(cost({0, 0, 0, k, 0}), row.write_5m / 100) << row.id;
    EXPECT_DOUBLE_EQ(cost({0, 0, 0, 0, k}), row.write_1h / 100) << row.id;
    EXPECT_DOUBLE_EQ(cost({k, k, k, k, k}),
                     (row.input + row.output + row.read + row.write_5m + row.write_1h) / 100)
        << row.id;
    EXPECT_EQ(cost({}), 0) << row.id;
  }
  EXPECT_EQ(table().models().size(), std::size(rows)) << "a row of models.json is not tested here";
}

TEST(Model, HaikuCostsMoreAboveAHundredThousandTokens) {
  const auto cost = [](const Tokens& tokens) { return *table().cost_usd("haiku", tokens); };
  EXPECT_DOUBLE_EQ(cost({100'000, 1'000'000, 0, 0, 0}), 0.01 + 0.5);
  EXPECT_DOUBLE_EQ(cost({100'001, 0, 0, 0, 0}), 0.1000010 * 0.5);
  EXPECT_DOUBLE_EQ(cost({300'000, 1'000'000, 0, 0, 0}), 0.15 + 2.5);
  // What is in the cache is part of the prompt; its own prices have no step.
  EXPECT_DOUBLE_EQ(cost({50'000, 0, 50'001, 0, 0}), 0.025 + 50'001e-6 * 0.01);
  EXPECT_DOUBLE_EQ(cost({50'000, 0, 0, 30'000, 20'001}),
                   0.025 + 30'000e-6 * 0.125 + 20'001e-6 * 0.2);
  EXPECT_DOUBLE_EQ(cost({0, 200'000, 0, 0, 0}), 0.1) << "output does not count for the step";
}

TEST(Model, NegativeCountsCostNothing) {
  EXPECT_EQ(table().cost_usd("opus", {-5, -5, -5, -5, -5}), 0.0);
}

TEST(Model, LongWindowMarkWidensTheWindow) {
  EXPECT_EQ(table().context_window("claude-sonnet-4-6"), 200'000);
  EXPECT_EQ(table().context_window("claude-sonnet-4-6[1m]"), 1'000'000);
  EXPECT_EQ(table().context_window("sonnet[1m]"), 1'000'000);
}

TEST(Model, NoNameIsUsedTwice) {
  std::set<std::string> names;
  for (const auto& model : table().models()) {
    EXPECT_TRUE(names.insert(model.id).second) << model.id;
    for (const auto& alias : model.aliases) EXPECT_TRUE(names.insert(alias).second) << alias;
  }
}

TEST(Overrides, AddRows) {
  const auto mine = Table::with_overrides(
      R"({"models": [{"id": "llama-4", "aliases": ["llama"], "window": 32000, "max_output": 4096,
                      "thinking": "budget", "effort": "low", "prices": [{"input": 0.5, "output": 1}]}]})",
      "mine.json");
  ASSERT_TRUE(mine) << mine.error().message;
  const Model expected{
      "llama-4", {"llama"}, 32'000, 4'096, Thinking::budget, "low", {{0, 0.5, 1, 0.5, 0.5, 0.5}}};
  ASSERT_NE(mine->find("llama"), nullptr);
  EXPECT_EQ(*mine->find("llama"), expected);
  EXPECT_EQ(mine->models().size(), table().models().size() + 1);
  EXPECT_EQ(table().find("llama"), nullptr) << "the built-in table changed";
}

TEST(Overrides, OfANewModelMayBeBrief) {
  const auto mine = Table::with_overrides(R"({"models": [{"id": "llama-4"}]})", "mine.json");
  ASSERT_TRUE(mine);
  EXPECT_EQ(mine->context_window("llama-4"), 200'000);
  EXPECT_EQ(mine->find("llama-4")->max_output, 32'000);
  EXPECT_EQ(mine->cost_usd("llama-4", kMillionOfEach), std::nullopt);
}

TEST(Overrides, ChangeOnlyWhatTheyName) {
  const auto mine = Table::with_overrides(
      R"({"models": [{"id": "claude-opus-5-5", "prices": [
            {"input": 1, "output": 2, "cache_read": 0.1, "cache_write_5m": 3, "cache_write_1h": 4},
            {"above": 1000, "input": 10, "output": 20}]}]})",
      "mine.json");
  ASSERT_TRUE(mine) << mine.error().message;
  EXPECT_DOUBLE_EQ(*mine->cost_usd("opus", {1000, 1000, 0, 0, 0}), 0.003);
  EXPECT_DOUBLE_EQ(*mine->cost_usd("opus", {1001, 1000, 0, 0, 0}), 0.03001);
  EXPECT_EQ(mine->context_window("opus"), 1'000'000);
  EXPECT_EQ(mine->find("opus")->thinking, Thinking::always);
  EXPECT_EQ(mine->models().size(), table().models().size());
}

TEST(Overrides, MoveAliases) {
  const auto mine = Table::with_overrides(
      R"({"models": [{"id": "llama-4", "aliases": ["opus", "best"]}, {"id": "qwen", "aliases": ["best"]}]})",
      "mine.json");
  ASSERT_TRUE(mine);
  EXPECT_EQ(mine->resolve("opus"), "llama-4");
  EXPECT_EQ(mine->resolve("best"), "qwen");
  EXPECT_EQ(mine->resolve("default"), "claude-opus-5-5");
}

TEST(Overrides, AnIdWinsAgainstAnAlias) {
  const auto mine =
      Table::with_overrides(R"({"models": [{"id": "claude-opus-4-1"}]})", "mine.json");
  ASSERT_TRUE(mine);
  EXPECT_EQ(mine->resolve("claude-opus-4-1"), "claude-opus-4-1");
}

TEST(Overrides, ThatAreWrongNameFileModelAndKey) {
  const struct {
    std::string_view text;
    std::string_view message;
  } rows[] = {
      {"", "mine.json is empty"},
      {"{\"models\": [}", "mine.json: "},
      {"[]", "mine.json must be an object"},
      {"{}", "mine.json must be an object"},
      {R"({"models": {}})", "mine.json must be an object"},
      {R"({"models": [], "more": 1})", "mine.json must be an object"},
      {R"({"models": [17]})", "mine.json: a model has no 'id'"},
      {R"({"models": [{"window": 5}]})", "mine.json: a model has no 'id'"},
      {R"({"models": [{"id": ""}]})", "mine.json: a model has no 'id'"},
      {R"({"models": [{"id": "x", "windw": 5}]})",
       "mine.json, model 'x': 'windw' is not a known key"},
      {R"({"models": [{"id": "x", "window": "5"}]})",
       "'window' must be a whole number of at least 1, not \"5\""},
      {R"({"models": [{"id": "x", "window": 0}]})", "'window' must be"},
      {R"({"models": [{"id": "x", "window": -1}]})", "'window' must be"},
      {R"({"models": [{"id": "x", "window": 1.5}]})", "'window' must be"},
      {R"({"models": [{"id": "x", "window": 18446744073709551615}]})", "'window' must be"},
      {R"({"models": [{"id": "x", "max_output": null}]})", "'max_output' must be"},
      {R"({"models": [{"id": "x", "aliases": "y"}]})", "'aliases' must be a list of names"},
      {R"({"models": [{"id": "x", "aliases": [""]}]})", "'aliases' must be a list of names"},
      {R"({"models": [{"id": "x", "thinking": "deep"}]})",
       "'thinking' must be none, budget, adaptive or always, not \"deep\""},
      {R"({"models": [{"id": "x", "effort": 3}]})", "'effort' must be a text"},
      {R"({"models": [{"id": "x", "prices": 3}]})", "'prices' must be a list"},
      {R"({"models": [{"id": "x", "prices": [{"input": 1}]}]})", "'input' and 'output'"},
      {R"({"models": [{"id": "x", "prices": [{"input": -1, "output": 1}]}]})",
       "'prices' 'input' must be USD"},
      {R"({"models": [{"id": "x", "prices": [{"input": 1, "output": 1, "cash": 1}]}]})",
       "'prices' 'cash' is not a known key"},
      {R"({"models": [{"id": "x", "prices": [{"above": 5, "input": 1, "output": 1}]}]})",
       "'above' must start at 0"},
      {R"({"models": [{"id": "x", "prices": [{"input": 1, "output": 1}, {"input": 1, "output": 1}]}]})",
       "'above' must start at 0 and increase"},
  };
  for (const auto& row : rows) {
    const auto mine = Table::with_overrides(row.text, "mine.json");
    ASSERT_FALSE(mine) << row.text;
    const auto& message = mine.error().message;
    EXPECT_TRUE(message.starts_with("mine.json")) << message;
    EXPECT_NE(message.find(row.message), std::string::npos) << message;
  }
}

TEST(Models, TheIdsOfCloudsHaveThePriceOfTheirModel) {
  const auto& table = Table::builtin();
  const auto* const haiku = table.find("claude-haiku-4-5");
  ASSERT_NE(haiku, nullptr);
  for (const auto* const id : {"us.anthropic.claude-haiku-4-5-20251001-v1:0",
                               "anthropic.claude-haiku-4-5-v2", "claude-haiku-4-5@20251001"}) {
    EXPECT_EQ(table.find(id), haiku) << id;
    EXPECT_EQ(table.resolve(id), id);
  }
  EXPECT_EQ(table.find("anthropic."), nullptr);
  EXPECT_EQ(table.find("-v"), nullptr);
  EXPECT_EQ(table.find("gpt-5-v1:0"), nullptr);
}

TEST(Models, APriceCanBeGivenForTheOthers) {
  auto table = Table::builtin();
  const Tokens million{1'000'000, 1'000'000, 0, 0, 0};
  const auto known = table.cost_usd("sonnet", million);
  EXPECT_EQ(table.cost_usd("gpt-5", million), std::nullopt);
  table.set_price_of_others(parse_price("1.25/10").value());
  EXPECT_EQ(table.cost_usd("gpt-5", million), 11.25);
  EXPECT_EQ(table.cost_usd("gpt-5", {0, 0, 1'000'000, 1'000'000, 1'000'000}), 3.75);
  EXPECT_EQ(table.cost_usd("sonnet", million), known);
  EXPECT_EQ(parse_price("0/0").value(), Price());
  for (const auto* const bad : {"", "1", "1/", "/1", "-1/2", "1/nan", "inf/1", "1/2/3", "$1/$2"}) {
    EXPECT_FALSE(parse_price(bad)) << bad;
  }
}

}  // namespace
}  // namespace ralph::model
