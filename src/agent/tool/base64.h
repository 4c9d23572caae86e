#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ralph::tool {

/// With padding, on one line.
std::string base64(std::string_view bytes);
/// The encoded length of that many bytes.
constexpr std::int64_t base64_size(std::uintmax_t bytes) {
  return static_cast<std::int64_t>((bytes + 2) / 3 * 4);
}
/// Skips line ends and blanks; nullopt: an invalid or missing character.
std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace ralph::tool
