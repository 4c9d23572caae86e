#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ralph::tool {

/// What a picture says of itself in its first bytes.
struct Image {
  std::string_view media_type;  // "image/png", "image/jpeg", "image/gif", "image/webp"
  unsigned width = 0;           // 0: not in these bytes
  unsigned height = 0;
};

/// Squares of 28 pixels: what a picture costs a model.
constexpr std::uint64_t patches_of(unsigned width, unsigned height) {
  constexpr unsigned kPatch = 28;
  const auto along = [](unsigned pixels) { return (std::uint64_t{pixels} + kPatch - 1) / kPatch; };
  return along(width) * along(height);
}

/// By content, whatever the file is called; nullopt: none of the four kinds models look at, or its header is damaged: the
/// API refuses the whole request for such a picture. `more`: the file goes on behind these bytes.
std::optional<Image> image_of(std::string_view bytes, bool more);

/// Of a picture that image_of() knows: whether nothing is missing by the lengths that its parts tell, and it has an
/// image. Nothing is decoded.
bool is_whole(std::string_view picture);

}  // namespace ralph::tool
