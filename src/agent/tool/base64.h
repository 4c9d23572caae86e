#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ralph::tool {

/// With padding, on one line.
std::string base64(std::string_view bytes);
/// How long it is for so many bytes.
constexpr std::int64_t base64_size(std::uintmax_t bytes) {
  return static_cast<std::int64_t>((bytes + 2) / 3 * 4);
}
/// Line ends and blanks are skipped; nullopt: another character, or one is missing.
std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace ralph::tool
