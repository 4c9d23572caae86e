#pragma once
#include "mock/scenario.h"
#include "mock/scenario_node_impl.h"

namespace ralph::mock {

inline constexpr std::int64_t kMostTokens = 1'000'000'000;
inline constexpr std::int64_t kLongestDelayMs = std::int64_t{24} * 3'600'000;

/// {"text": …}, {"thinking": …}, {"tool_use": {…}}, {"verbatim": {…}} or the API's own form with a
/// "type".
Result<Block> read_block(const Node& node);
Result<Block> read_tool_use(const Node& node);

Result<> read_usage(const Node& node, UsageWish& usage);
/// What a member of usage must be, if its value is invalid; empty: it is valid.
std::string usage_complaint(const UsageMember& member, const json::Document& value);

/// "error": 529, or an object.
Result<Failure> read_failure(const Node& node);
/// "http": {"status", "headers", "body"}.
Result<http::Response> read_http(const Node& node);
/// One trouble or an array of them.
Result<std::vector<Trouble>> read_troubles(const Node& node);

}  // namespace ralph::mock
