#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/tool/image.h"

/// What Read knows of a picture before it is sent: it has a size, and its parts lie in the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ralph;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)tool::image_of(bytes, true);
  const auto image = tool::image_of(bytes, false);
  if (!image) return 0;
  if (image->width == 0 || image->height == 0) std::abort();
  (void)tool::is_whole(bytes);
  return 0;
}
