#pragma once
#include <string_view>

namespace ralph::settings {

/// The version of Claude Code that the agent reports and is compatible with.
inline constexpr std::string_view kClaudeVersion = "2.1.325";

}  // namespace ralph::settings
