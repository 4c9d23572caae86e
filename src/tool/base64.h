#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ralph::tool {

/// With padding, on one line.
std::string base64(std::string_view bytes);
/// Line ends and blanks are skipped; nullopt: another character, or one is missing.
std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace ralph::tool
