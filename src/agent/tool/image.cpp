#include "agent/tool/image.h"

#include <array>
#include <cstddef>

namespace ralph::tool {
namespace {

using namespace std::string_view_literals;

/// Bytes as numbers; 0 after the end.
unsigned byte(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0u;
}
unsigned big16(std::string_view bytes, std::size_t at) {
  return byte(bytes, at) << 8 | byte(bytes, at + 1);
}
unsigned big32(std::string_view bytes, std::size_t at) {
  return big16(bytes, at) << 16 | big16(bytes, at + 2);
}
unsigned little16(std::string_view bytes, std::size_t at) {
  return byte(bytes, at + 1) << 8 | byte(bytes, at);
}
unsigned little24(std::string_view bytes, std::size_t at) {
  return byte(bytes, at + 2) << 16 | little16(bytes, at);
}
std::size_t little32(std::string_view bytes, std::size_t at) {
  return std::size_t{little16(bytes, at + 2)} << 16 | little16(bytes, at);
}

/// nullopt: the header is damaged.
std::optional<Image> checked(Image image, bool whole) {
  return whole && image.width > 0 && image.height > 0 ? std::optional(image) : std::nullopt;
}

/// The first chunk contains the size.
std::optional<Image> png(std::string_view bytes) {
  const bool whole = bytes.size() >= 33 && big32(bytes, 8) == 13 && bytes.substr(12, 4) == "IHDR";
  return checked({"image/png", big32(bytes, 16), big32(bytes, 20)}, whole);
}

std::optional<Image> gif(std::string_view bytes) {
  return checked({"image/gif", little16(bytes, 6), little16(bytes, 8)}, true);
}

bool is_start_of_frame(unsigned marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

/// The size follows segments of any length, such as a preview.
std::optional<Image> jpeg(std::string_view bytes, bool more) {
  std::size_t at = 2;
  while (at + 4 <= bytes.size()) {
    const auto marker = byte(bytes, at + 1);
    if (byte(bytes, at) != 0xFF) return std::nullopt;
    if (marker == 0xFF) {
      ++at;
      continue;
    }
    const auto length = big16(bytes, at + 2);
    if (length < 2) return std::nullopt;
    if (is_start_of_frame(marker)) {
      if (more && at + 9 > bytes.size()) break;
      const bool whole = more || at + 2 + length <= bytes.size();
      return checked({"image/jpeg", big16(bytes, at + 7), big16(bytes, at + 5)}, whole);
    }
    at += 2 + length;
  }
  return more ? std::optional(Image{"image/jpeg", 0, 0}) : std::nullopt;
}

std::optional<Image> webp(std::string_view bytes) {
  constexpr std::string_view kType = "image/webp";
  constexpr std::size_t kLossless = 25, kOther = 30;  // header bytes up to the size
  const auto kind = bytes.substr(12, 4);
  if (kind == "VP8L") {
    const auto packed = little16(bytes, 21) | little16(bytes, 23) << 16;
    return checked({kType, (packed & 0x3FFF) + 1, (packed >> 14 & 0x3FFF) + 1},
                   bytes.size() >= kLossless && byte(bytes, 20) == 0x2F);
  }
  if (bytes.size() < kOther) return std::nullopt;
  if (kind == "VP8X") return Image{kType, little24(bytes, 24) + 1, little24(bytes, 27) + 1};
  if (kind != "VP8 ") return std::nullopt;
  return checked({kType, little16(bytes, 26) & 0x3FFF, little16(bytes, 28) & 0x3FFF},
                 bytes.substr(23, 3) == "\x9d\x01\x2a"sv);
}

/// Each chunk has a length, a name, that many bytes and a checksum.
bool is_whole_png(std::string_view bytes) {
  bool has_image = false;
  for (std::size_t at = 8; at + 12 <= bytes.size();) {
    const auto name = bytes.substr(at + 4, 4);
    at += 12 + std::size_t{big32(bytes, at)};
    if (name == "IDAT") has_image = true;
    if (name == "IEND") return has_image && at <= bytes.size();
  }
  return false;
}

/// Segments, then the image data, which ends with a marker.
bool is_whole_jpeg(std::string_view bytes) {
  constexpr unsigned kStartOfScan = 0xDA;
  for (std::size_t at = 2; at + 4 <= bytes.size();) {
    const auto marker = byte(bytes, at + 1);
    if (byte(bytes, at) != 0xFF) return false;
    if (marker == 0xFF) {
      ++at;
      continue;
    }
    const auto length = big16(bytes, at + 2);
    if (length < 2) return false;
    at += 2 + length;
    if (marker == kStartOfScan) return bytes.find("\xFF\xD9"sv, at) != bytes.npos;
  }
  return false;
}

std::size_t color_table_size(unsigned flags) {
  return (flags & 0x80) != 0 ? std::size_t{6} << (flags & 7) : 0;
}

/// The position after a list of blocks (a length and that many bytes), the last one empty. After the end: incomplete.
std::size_t behind_gif_blocks(std::string_view bytes, std::size_t at) {
  while (at < bytes.size() && byte(bytes, at) != 0) at += 1 + byte(bytes, at);
  return at + 1;
}

/// The trailer may be missing: viewers do not need it.
bool is_whole_gif(std::string_view bytes) {
  constexpr unsigned kExtension = 0x21, kImage = 0x2C;
  bool has_image = false;
  std::size_t at = 13 + color_table_size(byte(bytes, 10));
  while (at < bytes.size()) {
    const auto kind = byte(bytes, at);
    if (kind != kExtension && kind != kImage) break;
    if (kind == kImage) has_image = true;
    at = behind_gif_blocks(
        bytes, kind == kExtension ? at + 2 : at + 11 + color_table_size(byte(bytes, at + 9)));
  }
  return has_image && at <= bytes.size();
}

/// A frame starts with the size of its first part.
bool has_first_part(std::string_view frame) {
  constexpr std::size_t kHeader = 10;
  const auto size = little24(frame, 0) >> 5;
  return size > 0 && kHeader + size <= frame.size();
}

/// Inside one outer chunk, each chunk has a name, a length and that many bytes, padded to an even number.
bool is_whole_webp(std::string_view bytes) {
  const auto end = 8 + little32(bytes, 4);
  if (end > bytes.size()) return false;
  bytes = bytes.substr(0, end);
  bool has_image = false;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    const auto name = bytes.substr(at, 4);
    const auto size = little32(bytes, at + 4);
    if (size > bytes.size() - at - 8) return false;
    if (name == "VP8 " && !has_first_part(bytes.substr(at + 8, size))) return false;
    if (name == "VP8 " || name == "VP8L" || name == "ANMF") has_image = true;
    at += 8 + size + size % 2;
  }
  return has_image;
}

}  // namespace

bool is_whole(std::string_view picture) {
  if (picture.starts_with("\x89PNG"sv)) return is_whole_png(picture);
  if (picture.starts_with("\xFF\xD8"sv)) return is_whole_jpeg(picture);
  return picture.starts_with("GIF"sv) ? is_whole_gif(picture) : is_whole_webp(picture);
}

std::optional<Image> image_of(std::string_view bytes, bool more) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n"sv)) return png(bytes);
  if (bytes.starts_with("\xFF\xD8\xFF"sv)) return jpeg(bytes, more);
  if (bytes.starts_with("GIF87a"sv) || bytes.starts_with("GIF89a"sv)) return gif(bytes);
  if (bytes.starts_with("RIFF"sv) && bytes.size() > 16 && bytes.substr(8, 4) == "WEBP") {
    return webp(bytes);
  }
  return std::nullopt;
}

}  // namespace ralph::tool
