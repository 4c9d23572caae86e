#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ralph::tool {

/// The header of a picture.
struct Image {
  std::string_view media_type;  // "image/png", "image/jpeg", "image/gif", "image/webp"
  unsigned width = 0;           // 0: not in the given bytes
  unsigned height = 0;
};

/// The number of squares of 28 pixels, which models count for a picture.
constexpr std::uint64_t patches_of(unsigned width, unsigned height) {
  constexpr unsigned kPatch = 28;
  const auto along = [](unsigned pixels) { return (std::uint64_t{pixels} + kPatch - 1) / kPatch; };
  return along(width) * along(height);
}

/// Detects pictures by content, not by name. nullopt: not one of the four kinds that models accept, or a damaged header,
/// for which the API would refuse the whole request. `more`: the file continues after these bytes.
std::optional<Image> image_of(std::string_view bytes, bool more);

/// For a picture that image_of() accepts: whether it is complete by the lengths of its parts and contains an image.
/// Decodes nothing.
bool is_whole(std::string_view picture);

}  // namespace ralph::tool
