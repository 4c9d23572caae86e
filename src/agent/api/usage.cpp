#include "agent/api/usage.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

namespace ralph::api {
namespace {

constexpr std::int64_t kMostTokens = 1'000'000'000'000;  // so that sums stay in range

/// Endpoints repeat a count with 0 where they do not know it any more.
enum class Zero { is_told, says_nothing };

struct Field {
  std::string_view group;  // empty: the usage object itself
  std::string_view name;
  std::int64_t Usage::* count;
  Zero zero;
};

constexpr auto kFields = std::to_array<Field>({
    {"", "input_tokens", &Usage::input_tokens, Zero::says_nothing},
    {"", "output_tokens", &Usage::output_tokens, Zero::is_told},
    {"", "cache_read_input_tokens", &Usage::cache_read_input_tokens, Zero::says_nothing},
    {"", "cache_creation_input_tokens", &Usage::cache_creation_input_tokens, Zero::says_nothing},
    {"cache_creation", "ephemeral_5m_input_tokens", &Usage::cache_creation_5m, Zero::says_nothing},
    {"cache_creation", "ephemeral_1h_input_tokens", &Usage::cache_creation_1h, Zero::says_nothing},
    {"output_tokens_details", "thinking_tokens", &Usage::thinking_tokens, Zero::says_nothing},
    {"server_tool_use", "web_search_requests", &Usage::web_search_requests, Zero::says_nothing},
    {"server_tool_use", "web_fetch_requests", &Usage::web_fetch_requests, Zero::says_nothing},
});

const json::Document* member(const json::Document& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

std::optional<std::int64_t> count_in(const json::Document& value) {
  if (!value.is_number()) return std::nullopt;
  const auto count = value.get<double>();
  if (!(count >= 0)) return std::nullopt;
  return static_cast<std::int64_t>(std::min(count, static_cast<double>(kMostTokens)));
}

}  // namespace

void Usage::merge(const json::Document& usage) {
  for (const auto& field : kFields) {
    const auto* group = field.group.empty() ? &usage : member(usage, field.group);
    const auto* value = group == nullptr ? nullptr : member(*group, field.name);
    const auto count = value == nullptr ? std::nullopt : count_in(*value);
    if (count && (*count > 0 || field.zero == Zero::is_told)) this->*field.count = *count;
  }
}

Usage& Usage::operator+=(const Usage& other) {
  for (const auto& field : kFields) this->*field.count += other.*field.count;
  return *this;
}

model::Tokens Usage::tokens() const {
  const auto unsaid = cache_creation_input_tokens - cache_creation_5m - cache_creation_1h;
  return {.input = input_tokens,
          .output = output_tokens,
          .cache_read = cache_read_input_tokens,
          .cache_write_5m = cache_creation_5m + std::max<std::int64_t>(unsaid, 0),
          .cache_write_1h = cache_creation_1h};
}

}  // namespace ralph::api
