#pragma once
#include <optional>
#include <string_view>

namespace ralph::tool {

/// What a picture says of itself in its first bytes.
struct Image {
  std::string_view media_type;  // "image/png", "image/jpeg", "image/gif", "image/webp"
  unsigned width = 0;           // 0: it does not say
  unsigned height = 0;
};

/// By content, whatever the file is called; nullopt: none of the four kinds models look at.
std::optional<Image> image_of(std::string_view bytes);

}  // namespace ralph::tool
