#pragma once
#include <cstdint>
#include <stop_token>
#include <string_view>

#include "agent/tool/tool.h"
#include "core/json/document.h"

namespace ralph::mcp {

/// The tokens of text that a result may have, unless MAX_MCP_OUTPUT_TOKENS says otherwise.
inline constexpr std::int64_t kUsualOutputTokens = 25'000;

/// What a server answered to a call, for the model and the client: text up to `most_tokens`, pictures as Read shows them,
/// resources as text. A result with isError becomes a failure with its text.
tool::Outcome outcome_of(const json::Document& result, std::int64_t most_tokens,
                         tool::Workspace& workspace, const std::stop_token& stop);

}  // namespace ralph::mcp
