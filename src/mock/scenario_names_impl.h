#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "mock/scenario.h"

namespace ralph::mock {

/// A word of the scenario and its value.
template <typename T>
struct Name {
  std::string_view name;
  T value;
};

inline constexpr auto kPlaceNames = std::to_array<Name<Place>>({
    {"before_headers", Place::before_headers},
    {"in_headers", Place::in_headers},
    {"after_headers", Place::after_headers},
    {"in_event", Place::in_event},
    {"in_block", Place::in_block},
    {"after_blocks", Place::after_blocks},
    {"before_message_stop", Place::before_message_stop},
    {"after_message_stop", Place::after_message_stop},
});
inline constexpr auto kCutNames = std::to_array<Name<Cut>>({
    {"end", Cut::end},
    {"close", Cut::close},
    {"reset", Cut::reset},
    {"silence", Cut::silence},
});
inline constexpr auto kLineEndNames = std::to_array<Name<LineEnd>>({
    {"lf", LineEnd::lf},
    {"crlf", LineEnd::crlf},
    {"cr", LineEnd::cr},
});
inline constexpr auto kThenNames = std::to_array<Name<Then>>({
    {"repeat_last", Then::repeat_last},
    {"start_again", Then::start_again},
    {"error", Then::error},
});

template <typename Table, typename T>
std::string_view name_of(const Table& table, T value) {
  const auto* found = std::ranges::find(table, value, &Name<T>::value);
  return found == table.end() ? std::string_view() : found->name;
}

/// The members of `match` that are plain texts.
struct MatchText {
  std::string_view key;
  std::string Match::* text;
};
inline constexpr auto kMatchTexts = std::to_array<MatchText>({
    {"contains", &Match::contains},
    {"last", &Match::last},
    {"tool_result", &Match::tool_result},
    {"system", &Match::system},
    {"tool", &Match::tool},
    {"model", &Match::model},
    {"path", &Match::path},
});

/// Members of `usage` beside the input and output counts.
enum class UsageKind { tokens, text, group };
struct UsageMember {
  std::string_view key;
  UsageKind kind;
  std::span<const std::string_view> parts;  // of a group
};
inline constexpr std::string_view kCacheParts[] = {"ephemeral_5m_input_tokens",
                                                   "ephemeral_1h_input_tokens"};
inline constexpr std::string_view kOutputParts[] = {"thinking_tokens"};
inline constexpr std::string_view kServerToolParts[] = {"web_search_requests",
                                                        "web_fetch_requests"};
inline constexpr auto kUsageMembers = std::to_array<UsageMember>({
    {"cache_creation_input_tokens", UsageKind::tokens},
    {"cache_read_input_tokens", UsageKind::tokens},
    {"cache_creation", UsageKind::group, kCacheParts},
    {"output_tokens_details", UsageKind::group, kOutputParts},
    {"server_tool_use", UsageKind::group, kServerToolParts},
    {"service_tier", UsageKind::text},
    {"inference_geo", UsageKind::text},
});

}  // namespace ralph::mock
