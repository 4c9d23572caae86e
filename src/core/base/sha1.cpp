#include "core/base/sha1.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "core/base/sha_padding.h"

namespace ralph {
namespace {

using sha::kBlock;

using Sha1State = std::array<std::uint32_t, 5>;

constexpr Sha1State kSha1Start{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};

std::uint32_t big_endian(const char* at) {
  std::uint32_t word = 0;
  std::memcpy(&word, at, sizeof word);
  return std::endian::native == std::endian::little ? std::byteswap(word) : word;
}

/// The function and the constant of each of the four times twenty rounds.
template <int kPart>
std::uint32_t mixed(std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  if constexpr (kPart == 0) return (d ^ (b & (c ^ d))) + 0x5a827999;
  if constexpr (kPart == 1) return (b ^ c ^ d) + 0x6ed9eba1;
  if constexpr (kPart == 2) return ((b & c) | (d & (b | c))) + 0x8f1bbcdc;
  return (b ^ c ^ d) + 0xca62c1d6;
}

/// Five rounds in a row, so that the words change their parts and not their places.
template <int kPart>
void twenty_rounds(Sha1State& state, const std::array<std::uint32_t, 80>& words) {
  auto [a, b, c, d, e] = state;
  const auto* w = words.data() + std::size_t{kPart} * 20;
  const auto round = [](std::uint32_t v, std::uint32_t& x, std::uint32_t y, std::uint32_t z,
                        std::uint32_t& sum, std::uint32_t word) {
    sum += std::rotl(v, 5) + mixed<kPart>(x, y, z) + word;
    x = std::rotl(x, 30);
  };
  for (int i = 0; i < 20; i += 5, w += 5) {
    round(a, b, c, d, e, w[0]);
    round(e, a, b, c, d, w[1]);
    round(d, e, a, b, c, w[2]);
    round(c, d, e, a, b, w[3]);
    round(b, c, d, e, a, w[4]);
  }
  state = {a, b, c, d, e};
}

void digest_sha1_block(Sha1State& state, const char* block) {
  std::array<std::uint32_t, 80> w;
  for (std::size_t i = 0; i < 16; ++i) w[i] = big_endian(block + i * 4);
  for (std::size_t i = 16; i < 80; ++i) {
    w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  }
  auto next = state;
  twenty_rounds<0>(next, w);
  twenty_rounds<1>(next, w);
  twenty_rounds<2>(next, w);
  twenty_rounds<3>(next, w);
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += next[i];
}

}  // namespace

std::string sha1_hex(std::string_view bytes) {
  Sha1State state = kSha1Start;
  const auto whole = bytes.size() - bytes.size() % kBlock;
  for (std::size_t at = 0; at < whole; at += kBlock) digest_sha1_block(state, bytes.data() + at);
  const auto tail = sha::padded(bytes.substr(whole), bytes.size());
  for (std::size_t at = 0; at < tail.size(); at += kBlock)
    digest_sha1_block(state, tail.data() + at);
  std::string hex;
  for (const auto word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) hex += "0123456789abcdef"[(word >> shift) & 0xF];
  }
  return hex;
}

}  // namespace ralph
