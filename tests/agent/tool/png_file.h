#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ralph::test {

inline std::string big32(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
  return bytes;
}

inline std::string png_chunk(std::string_view type, std::string_view data) {
  auto checked = std::string(type).append(data);
  std::uint32_t sum = 0xFFFFFFFF;
  for (const char c : checked) {
    sum ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320 : 0);
  }
  return big32(static_cast<std::uint32_t>(data.size())) + checked + big32(~sum);
}

/// zlib's format, nothing compressed.
inline std::string stored(std::string_view data) {
  std::string out("\x78\x01", 2);
  std::uint32_t a = 1, b = 0;
  for (const char c : data) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  do {
    const auto block = data.substr(0, 65535);
    data.remove_prefix(block.size());
    out += data.empty() ? '\1' : '\0';
    for (const auto size : {block.size(), ~block.size()}) {
      out += static_cast<char>(size & 0xFF);
      out += static_cast<char>(size >> 8 & 0xFF);
    }
    out += block;
  } while (!data.empty());
  return out + big32(b << 16 | a);
}

inline std::string png_header(unsigned width, unsigned height) {
  return std::string("\x89PNG\r\n\x1a\n") +
         png_chunk("IHDR", big32(width) + big32(height) + std::string("\x08\x02\0\0\0", 5));
}

/// RGB. `byte(n)` is the n-th of its pixels' bytes.
template <typename Byte>
std::string png_file(unsigned width, unsigned height, const Byte& byte) {
  std::string rows;
  std::size_t n = 0;
  for (unsigned y = 0; y < height; ++y) {
    rows += '\0';
    for (unsigned x = 0; x < width * 3; ++x) rows += static_cast<char>(byte(n++));
  }
  return png_header(width, height) + png_chunk("IDAT", stored(rows)) + png_chunk("IEND", "");
}

}  // namespace ralph::test
