#include "harness/loop/reasoning.h"

#include <algorithm>
#include <array>

#include "core/model/model.h"

namespace ralph::loop {
namespace {

struct Level {
  std::string_view name;
  std::int64_t quarters;  // of the most
  std::string_view effort;
};
constexpr auto kLevels = std::to_array<Level>({
    {"none", 0, ""},
    {"low", 1, "low"},
    {"med", 2, "medium"},
    {"high", 4, "high"},
});

Level level(std::string_view name) {
  const auto* const found = std::ranges::find(kLevels, name, &Level::name);
  return found == kLevels.end() ? Level{} : *found;
}

}  // namespace

std::int64_t thinking_tokens(std::string_view model, std::string_view reasoning) {
  const auto* const known = model::Table::builtin().find(model);
  const auto most = known == nullptr ? model::kUsualThinkingTokens : known->max_thinking_tokens;
  return most * level(reasoning).quarters / 4;
}

std::string_view effort_of(std::string_view reasoning) { return level(reasoning).effort; }

}  // namespace ralph::loop
