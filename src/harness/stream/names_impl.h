#pragma once
// Private to the .cpp files of this module: the words events use in JSON, in the order of their
// enums.
#include <array>
#include <optional>
#include <string_view>
#include <type_traits>

#include "harness/stream/event.h"

namespace ralph::stream {

inline constexpr std::array<std::string_view, std::variant_size_v<Payload>> kTypeNames{
    "session_started", "turn_started", "text",   "thinking", "tool_call",
    "tool_output",     "tool_result",  "usage",  "retry",    "notice",
    "error",           "turn_ended",   "result", "unknown"};

template <typename Enum>
struct Names;

template <>
struct Names<ToolKind> {
  static constexpr std::array<std::string_view, 11> kWords{
      "shell", "read",     "write", "edit",       "search", "web",
      "mcp",   "subagent", "plan",  "structured", "other"};
};
template <>
struct Names<Level> {
  static constexpr std::array<std::string_view, 3> kWords{"debug", "info", "warning"};
};
template <>
struct Names<ErrorClass> {
  static constexpr std::array<std::string_view, 10> kWords{
      "auth",  "rate_limit", "overloaded", "network",  "invalid_request",
      "trust", "permission", "limit",      "internal", "unknown"};
};
template <>
struct Names<UsageScope> {
  static constexpr std::array<std::string_view, 4> kWords{"request", "turn", "run",
                                                          "session_total"};
};
template <>
struct Names<CostSource> {
  static constexpr std::array<std::string_view, 3> kWords{"agent", "price_table", "none"};
};
template <>
struct Names<Status> {
  static constexpr std::array<std::string_view, 5> kWords{"success", "failed", "interrupted",
                                                          "timeout", "incomplete"};
};

template <>
struct Names<TurnEndReason> {
  static constexpr std::array<std::string_view, 5> kWords{
      "max_turns", "cost_limit", "invalid_output", "context_full", "other"};
};

template <typename Enum>
constexpr std::string_view name_of(Enum value) {
  return Names<Enum>::kWords[static_cast<std::size_t>(value)];
}

template <typename Enum>
constexpr std::optional<Enum> named(std::string_view word) {
  for (std::size_t i = 0; i < Names<Enum>::kWords.size(); ++i) {
    if (Names<Enum>::kWords[i] == word) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace ralph::stream
