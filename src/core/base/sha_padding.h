#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ralph::sha {

/// SHA-1 and SHA-256 digest blocks of the same size, and end a message the same way.
inline constexpr std::size_t kBlock = 64;
inline constexpr std::size_t kLengthBytes = 8;

/// The last, incomplete block, a one bit, zeros, and the length in bits: one or two blocks.
inline std::string padded(std::string_view rest, std::uint64_t all_bytes) {
  std::string tail(rest);
  tail += '\x80';
  while (tail.size() % kBlock != kBlock - kLengthBytes) tail += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) {
    tail += static_cast<char>(((all_bytes * 8) >> shift) & 0xFF);
  }
  return tail;
}

}  // namespace ralph::sha
