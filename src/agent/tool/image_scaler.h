#pragma once
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ralph::tool {

/// What models look at; a larger picture costs more bytes and shows them no more.
struct ImageLimits {
  unsigned edge = 2000;         // pixels
  unsigned patches = 4784;      // squares of 28 pixels
  std::size_t bytes = 512'000;  // of the file
};

struct ScaledImage {
  std::string media_type;
  unsigned width = 0;
  unsigned height = 0;
  std::string bytes;
};

/// Beside our own program, or in ../libexec/ralph; empty: it is not installed.
std::filesystem::path find_image_scaler();

/// Decodes a PNG or JPEG file and makes a smaller copy of it in a process of its own, ralph-image, which can do nothing
/// but compute: the decoders get whatever an agent finds. Bounded in memory and time. Without bytes: the file is within
/// the limits as it is. Code::malformed: it is damaged.
Result<ScaledImage> scale_image(const std::filesystem::path& scaler, std::string bytes,
                                const ImageLimits& limits, const std::stop_token& stop);

}  // namespace ralph::tool
