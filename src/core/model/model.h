#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ralph::model {

/// The context window of an unknown model.
inline constexpr std::int64_t kUnknownWindow = 200'000;

/// The shortest prompt prefix that the API caches for an unknown model, in tokens.
inline constexpr std::int64_t kUsualCacheMinimum = 1024;

/// How many tokens of thinking an agent asks for at most, for an unknown model.
inline constexpr std::int64_t kUsualThinkingTokens = 32'768;

/// USD per million tokens, for prompts of more than `above_tokens` tokens (input and cache together).
struct Price {
  std::int64_t above_tokens = 0;
  double input = 0;
  double output = 0;
  double cache_read = 0;
  double cache_write_5m = 0;
  double cache_write_1h = 0;

  bool operator==(const Price&) const = default;
};

/// The price that Claude Code assumes for a model that is not in its table.
inline constexpr Price kPriceOfUnknown{0, 4, 20, 0.2, 5, 8};

/// USD for one search of the API's own tool web_search.
inline constexpr double kPriceOfWebSearch = 0.01;

/// "1.25/10": input and output; the cache costs what input does.
Result<Price> parse_price(std::string_view text);

/// What the API accepts as `thinking` for a model.
enum class Thinking {
  none,      // no thinking field at all
  budget,    // {type: enabled, budget_tokens}
  adaptive,  // {type: adaptive}, may be disabled
  always,    // adaptive, cannot be disabled
};

struct Model {
  std::string id;
  std::vector<std::string> aliases;  // short names, and retired ids that this model replaces
  std::int64_t context_window = 0;
  std::int64_t max_output = 0;
  Thinking thinking = Thinking::none;
  std::string default_effort;  // empty: none is sent
  std::vector<Price> prices;   // by rising above_tokens, the first has 0; empty: unknown
  std::int64_t cache_minimum = kUsualCacheMinimum;  // no shorter prefix is cached, in tokens
  std::int64_t max_thinking_tokens = kUsualThinkingTokens;  // that an agent asks for

  bool operator==(const Model&) const = default;
};

/// The tokens of one API request (or a sum of requests at one price step).
struct Tokens {
  std::int64_t input = 0;  // not cached
  std::int64_t output = 0;
  std::int64_t cache_read = 0;
  std::int64_t cache_write_5m = 0;
  std::int64_t cache_write_1h = 0;
};

double cost_usd(const Price& price, const Tokens& tokens);

/// The table of models: models.json, built in; a user's file of the same form adds rows to it or
/// changes them: keys a row does not name keep their values, an alias moves to the row that names it last.
/// Every name may end in "[1m]", which asks for a window of a million tokens.
class Table {
 public:
  /// The table built into the program.
  static const Table& builtin();
  /// The built-in rows with the ones of this JSON text on top; `name` is for error messages.
  static Result<Table> with_overrides(std::string_view json_text, std::string_view name);

  /// Models without a known price cost this from now on.
  void set_price_of_others(const Price& price) { price_of_others_ = price; }

  /// By alias, exact id, dated id ("claude-haiku-4-5-20251001" is claude-haiku-4-5) or the id a cloud gives it
  /// ("us.anthropic.claude-haiku-4-5-20251001-v1:0", "claude-haiku-4-5@20251001"). nullptr: unknown.
  const Model* find(std::string_view alias_or_id) const;
  /// The id to send to the API: aliases and retired ids resolved, anything else unchanged.
  std::string resolve(std::string_view alias_or_id) const;
  /// nullopt: the model or its price is unknown.
  std::optional<double> cost_usd(std::string_view alias_or_id, const Tokens& tokens) const;
  /// The model's context window; 200 000 when it is unknown.
  std::int64_t context_window(std::string_view alias_or_id) const;

  const std::vector<Model>& models() const { return models_; }
  /// Every id and alias.
  std::vector<std::string> names() const;

 private:
  std::vector<Model> models_;
  std::optional<Price> price_of_others_;
};

}  // namespace ralph::model
