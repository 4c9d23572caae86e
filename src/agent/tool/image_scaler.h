#pragma once
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ralph::tool {

/// The largest picture that models use; a larger one costs more bytes and shows no more detail.
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

/// ralph-image beside this program or in ../libexec/ralph; empty: not installed.
std::filesystem::path find_image_scaler();

/// Decodes a PNG or JPEG file and makes a smaller copy in a separate, confined process (ralph-image), because the input is
/// not trusted. Bounded in memory and time. A result without bytes: the file is already within the limits.
/// Code::malformed: it is damaged.
Result<ScaledImage> scale_image(const std::filesystem::path& scaler, std::string bytes,
                                const ImageLimits& limits, const std::stop_token& stop);

}  // namespace ralph::tool
