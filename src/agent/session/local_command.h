#pragma once
#include <string>
#include <string_view>

namespace ralph::session {

/// Starts a new session.
inline constexpr std::string_view kClear = "clear";

/// Whether "/name" is for the agent itself, not for the model.
bool is_local_command(std::string_view name);

/// The reply to a command that is not supported.
std::string unavailable(std::string_view name);

}  // namespace ralph::session
