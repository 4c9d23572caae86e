#pragma once
#include <string>
#include <string_view>

namespace ralph::session {

/// Begins the session anew.
inline constexpr std::string_view kClear = "clear";

/// Whether "/name" is for the agent itself, not for the model.
bool is_local_command(std::string_view name);

/// What we say to one that we do not have.
std::string unavailable(std::string_view name);

}  // namespace ralph::session
