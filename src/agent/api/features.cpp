#include <algorithm>
#include <array>
#include <string_view>

#include "agent/api/features_impl.h"

namespace ralph::api {
namespace {

constexpr std::array<std::string_view, 8> kWords{
    "thinking",           "display",       "effort",     "output_config", "beta",
    "context_management", "budget_tokens", "temperature"};
/// What starts so is about the conversation or the tools.
constexpr std::array<std::string_view, 2> kElsewhere{"messages.", "tools."};

bool holds(std::string_view text, std::string_view word) { return text.find(word) != text.npos; }

bool names_a_feature(std::string_view message) {
  const auto held = [&](std::string_view word) { return holds(message, word); };
  const auto first = [&](std::string_view word) { return message.starts_with(word); };
  return std::ranges::any_of(kWords, held) && std::ranges::none_of(kElsewhere, first);
}

}  // namespace

void withhold(Request& request, const Withheld& withheld) {
  auto& shape = request.shape;
  if (withheld.betas || withheld.thinking) {
    shape.betas.clear();
    shape.thinking_display.clear();
  }
  if (withheld.thinking) {
    shape.thinking = ThinkingMode::omitted;
    shape.effort.clear();
  }
  if (withheld.cache_marks) request.cache_marks = false;
}

bool withhold_refused(const Request& sent, const Failure& failure, Withheld& withheld) {
  if (failure.kind != FailureKind::status || failure.status != 400) return false;
  const auto before = withheld;
  const auto& shape = sent.shape;
  if (holds(failure.message, "cache_control")) {
    withheld.cache_marks = true;
  } else if (!names_a_feature(failure.message)) {
    return false;
  } else if (!shape.betas.empty() || !shape.thinking_display.empty()) {
    withheld.betas = true;
  } else if (shape.thinking != ThinkingMode::omitted || !shape.effort.empty()) {
    withheld.thinking = true;
  }
  return withheld != before;
}

}  // namespace ralph::api
