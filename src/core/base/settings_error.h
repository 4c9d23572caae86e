#pragma once
#include <string_view>

namespace ralph {

/// How the line on stderr begins with which ralph's agent refuses unusable settings. The harness
/// recognises the refusal by it.
inline constexpr std::string_view kSettingsError = "Error: the settings in ";

}  // namespace ralph
