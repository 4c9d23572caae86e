#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/tool/base64.h"
#include "agent/tool/image.h"
#include "agent/tool/image_scaler.h"
#include "agent/tool/picture.h"
#include "agent/tool/read_impl.h"

namespace ralph::tool {
namespace {

constexpr std::size_t kApiBytes = std::size_t{3750} << 10;  // 5 MB as base64, the limit of the API
constexpr unsigned kApiEdge = 8000;
constexpr std::size_t kLargestFile = 64 << 20;

struct Picture {
  std::string_view media_type;
  unsigned width = 0;
  unsigned height = 0;
  std::string_view bytes;
};

bool fits(const Image& image, std::size_t bytes, const ImageLimits& limits) {
  return bytes <= limits.bytes && image.width <= limits.edge && image.height <= limits.edge &&
         patches_of(image.width, image.height) <= limits.patches;
}

/// Whether ralph-image can decode it.
bool is_scalable(const Image& image) {
  return image.media_type == "image/png" || image.media_type == "image/jpeg";
}

/// Of small complete pictures only PNG files can have damaged data that decoders refuse.
bool needs_decoder(const Image& image, std::size_t bytes, const ImageLimits& limits) {
  return image.media_type == "image/png" || !fits(image, bytes, limits);
}

/// Uses the longer edge: the shorter one may be a single pixel.
std::string scaling_note(const Picture& picture, const Image& original) {
  if (picture.width == original.width && picture.height == original.height) return {};
  const bool wide = original.width >= original.height;
  const double factor = wide ? static_cast<double>(original.width) / picture.width
                             : static_cast<double>(original.height) / picture.height;
  return fmt::format(
      "[Image: original {}x{}, displayed at {}x{}. Multiply coordinates by {:.2f} to map to "
      "original image.]",
      original.width, original.height, picture.width, picture.height, factor);
}

Outcome show_picture(const Picture& picture, const Image& original, std::size_t original_size,
                     Workspace& workspace) {
  if (!workspace.reserve_media_room({base64_size(picture.bytes.size()), 1})) {
    return failure(no_media_room("The picture"));
  }
  const auto data = base64(picture.bytes);
  const json::Document content = json::Document::array(
      {{{"type", "image"},
        {"source", {{"type", "base64"}, {"data", data}, {"media_type", picture.media_type}}}}});
  json::Document file = {
      {"base64", data}, {"type", picture.media_type}, {"originalSize", original_size}};
  file["dimensions"] = {{"originalWidth", original.width},
                        {"originalHeight", original.height},
                        {"displayWidth", picture.width},
                        {"displayHeight", picture.height}};
  Outcome outcome{json::write(content), std::nullopt,
                  json::write(json::Document{{"type", "image"}, {"file", std::move(file)}})};
  outcome.follow_up = scaling_note(picture, original);
  return outcome;
}

/// The API would refuse it, and every later request of the session with it.
Outcome damaged(std::string_view why) {
  return failure(
      fmt::format("The picture is damaged: {}. It was not sent. Make it again, or repair it with a "
                  "shell command.",
                  why));
}

}  // namespace

std::string no_media_room(std::string_view what) {
  return fmt::format(
      "{} was not sent: in one request the API takes 30 MB of pictures and documents, and together "
      "100 pictures and pages of documents, or 600 where the model has a context window of a "
      "million tokens. Where several files were read at once, read the others one by one.",
      what);
}

Outcome read_picture(const ReadRequest& request, const OpenFile& file, Workspace& workspace,
                     const std::stop_token& stop) {
  auto bytes = read_whole(file, kLargestFile, request.path);
  if (!bytes) return failure(bytes.error());
  return show_picture_bytes(*bytes, workspace, stop);
}

Outcome show_picture_bytes(std::string_view bytes, Workspace& workspace,
                           const std::stop_token& stop) {
  const auto image = image_of(bytes, false);
  if (!image) return damaged("its header is not complete");
  const Picture as_it_is{image->media_type, image->width, image->height, bytes};
  const ImageLimits limits;
  const bool whole = is_whole(bytes);
  if (!whole && (!is_scalable(*image) || fits(*image, bytes.size(), limits))) {
    return damaged("some of the file is missing");
  }
  if (!needs_decoder(*image, bytes.size(), limits)) {
    return show_picture(as_it_is, *image, bytes.size(), workspace);
  }
  const auto& chosen = workspace.setup().image_scaler;
  const auto scaled =
      scale_image(chosen.empty() ? find_image_scaler() : chosen, std::string(bytes), limits, stop);
  if (scaled) {
    const Picture smaller{scaled->media_type, scaled->width, scaled->height, scaled->bytes};
    return show_picture(scaled->bytes.empty() ? as_it_is : smaller, *image, bytes.size(),
                        workspace);
  }
  if (scaled.error().code == Code::malformed) return damaged(scaled.error().message);
  if (whole && bytes.size() <= kApiBytes && std::max(image->width, image->height) <= kApiEdge) {
    return show_picture(as_it_is, *image, bytes.size(), workspace);
  }
  return failure(fmt::format(
      "The picture ({}x{}, {}) is too large to be shown, and no smaller copy could be made: {}. "
      "Make one with a shell command.",
      image->width, image->height, in_kilobytes(bytes.size()), describe(scaled.error())));
}

}  // namespace ralph::tool
