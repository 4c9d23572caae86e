#include "core/base/hmac.h"

#include "core/base/sha256.h"
#include "core/base/sha_padding.h"

namespace ralph {
namespace {

using sha::kBlock;

char digit(char c) { return static_cast<char>(c <= '9' ? c - '0' : c - 'a' + 10); }

std::string sha256_bytes(std::string_view bytes) {
  const auto hex = sha256_hex(bytes);
  std::string raw;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    raw += static_cast<char>((digit(hex[i]) << 4) | digit(hex[i + 1]));
  }
  return raw;
}

std::string padded_key(std::string_view key, char pad) {
  std::string block(key.size() > kBlock ? sha256_bytes(key) : std::string(key));
  block.resize(kBlock, '\0');
  for (auto& byte : block) byte = static_cast<char>(byte ^ pad);
  return block;
}

}  // namespace

std::string hmac_sha256_hex(std::string_view key, std::string_view bytes) {
  auto inner = padded_key(key, 0x36);
  inner += bytes;
  return sha256_hex(padded_key(key, 0x5c) + sha256_bytes(inner));
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

}  // namespace ralph
