#include "harness/loop/reasoning.h"

#include <algorithm>
#include <array>

#include "core/model/model.h"

namespace ralph::loop {
namespace {

struct Family {
  std::string_view word;  // in its models' ids
  std::int64_t most_tokens;
};
constexpr auto kFamilies = std::to_array<Family>({
    {"haiku", 16'384},
    {"sonnet", 32'768},
    {"opus", 16'384},
});
constexpr std::int64_t kOtherModels = 32'768;

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
  const auto id = model::Table::builtin().resolve(model);
  const auto family = std::ranges::find_if(
      kFamilies, [&](const Family& one) { return id.find(one.word) != id.npos; });
  const auto most = family == kFamilies.end() ? kOtherModels : family->most_tokens;
  return most * level(reasoning).quarters / 4;
}

std::string_view effort_of(std::string_view reasoning) { return level(reasoning).effort; }

}  // namespace ralph::loop
