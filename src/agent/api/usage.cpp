#include "agent/api/usage.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/json/field.h"

namespace ralph::api {
namespace {

constexpr std::int64_t kMostTokens = 1'000'000'000'000;  // so that sums stay in range

/// Some endpoints repeat a count as 0 in later events.
enum class Zero { counts, is_ignored };

struct Field {
  std::string_view group;  // empty: the usage object itself
  std::string_view name;
  std::int64_t Usage::* count;
  Zero zero;
};

constexpr auto kFields = std::to_array<Field>({
    {"", "input_tokens", &Usage::input_tokens, Zero::is_ignored},
    {"", "output_tokens", &Usage::output_tokens, Zero::counts},
    {"", "cache_read_input_tokens", &Usage::cache_read_input_tokens, Zero::is_ignored},
    {"", "cache_creation_input_tokens", &Usage::cache_creation_input_tokens, Zero::is_ignored},
    {"cache_creation", "ephemeral_5m_input_tokens", &Usage::cache_creation_5m, Zero::is_ignored},
    {"cache_creation", "ephemeral_1h_input_tokens", &Usage::cache_creation_1h, Zero::is_ignored},
    {"output_tokens_details", "thinking_tokens", &Usage::thinking_tokens, Zero::is_ignored},
    {"server_tool_use", "web_search_requests", &Usage::web_search_requests, Zero::is_ignored},
    {"server_tool_use", "web_fetch_requests", &Usage::web_fetch_requests, Zero::is_ignored},
});

std::optional<std::int64_t> count_in(const json::Document& value) {
  if (!value.is_number()) return std::nullopt;
  const auto count = value.get<double>();
  if (!(count >= 0)) return std::nullopt;
  return static_cast<std::int64_t>(std::min(count, static_cast<double>(kMostTokens)));
}

}  // namespace

void Usage::merge(const json::Document& usage) {
  for (const auto& field : kFields) {
    const auto& group = field.group.empty() ? usage : json::member(usage, field.group);
    const auto count = count_in(json::member(group, field.name));
    if (count && (*count > 0 || field.zero == Zero::counts)) this->*field.count = *count;
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
