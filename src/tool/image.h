#pragma once
#include <optional>
#include <string_view>

namespace ralph::tool {

/// What a picture says of itself in its first bytes.
struct Image {
  std::string_view media_type;  // "image/png", "image/jpeg", "image/gif", "image/webp"
  unsigned width = 0;           // 0: not in these bytes
  unsigned height = 0;
};

/// By content, whatever the file is called; nullopt: none of the four kinds models look at, or its header is damaged: the
/// API refuses the whole request for such a picture. `more`: the file goes on behind these bytes.
std::optional<Image> image_of(std::string_view bytes, bool more);

}  // namespace ralph::tool
