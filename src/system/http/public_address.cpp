#include "system/http/public_address.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "core/base/text.h"

namespace ralph::http {
namespace {

using Bytes = std::array<std::uint8_t, 16>;  // of an IPv6 address

struct Range4 {
  std::uint32_t first;
  int bits;
};

constexpr std::uint32_t address4(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                 std::uint32_t d) {
  return a << 24 | b << 16 | c << 8 | d;
}

/// IANA's registry of special-purpose addresses, multicast and reserved ones.
constexpr Range4 kNotPublic4[] = {
    {address4(0, 0, 0, 0), 8},      {address4(10, 0, 0, 0), 8},     {address4(100, 64, 0, 0), 10},
    {address4(127, 0, 0, 0), 8},    {address4(169, 254, 0, 0), 16}, {address4(172, 16, 0, 0), 12},
    {address4(192, 0, 0, 0), 24},   {address4(192, 0, 2, 0), 24},   {address4(192, 88, 99, 0), 24},
    {address4(192, 168, 0, 0), 16}, {address4(198, 18, 0, 0), 15},  {address4(198, 51, 100, 0), 24},
    {address4(203, 0, 113, 0), 24}, {address4(224, 0, 0, 0), 4},    {address4(240, 0, 0, 0), 4},
};

bool is_public4(std::uint32_t address) {
  return std::ranges::none_of(kNotPublic4, [&](const Range4& range) {
    return (address ^ range.first) >> (32 - range.bits) == 0;
  });
}

bool begins(const Bytes& address, std::initializer_list<std::uint8_t> prefix) {
  return std::ranges::equal(prefix, std::span(address).first(prefix.size()));
}

std::uint32_t last4(const Bytes& address) {
  return address4(address[12], address[13], address[14], address[15]);
}

bool is_public6(const Bytes& address) {
  const bool mapped = begins(address, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff});
  const bool nat64 = begins(address, {0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0});
  if (mapped || nat64) return is_public4(last4(address));
  const bool global = address[0] >> 5 == 1;                          // 2000::/3
  const bool special = begins(address, {0x20, 0x01, 0, 0}) ||        // Teredo
                       begins(address, {0x20, 0x01, 0x0d, 0xb8}) ||  // documentation
                       begins(address, {0x20, 0x02}) ||              // 6to4
                       begins(address, {0x3f, 0xff});                // documentation
  return global && !special;
}

}  // namespace

bool is_public(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in given{};
    std::memcpy(&given, &address, sizeof given);
    return is_public4(ntohl(given.sin_addr.s_addr));
  }
  if (address.sa_family != AF_INET6) return false;
  sockaddr_in6 given{};
  std::memcpy(&given, &address, sizeof given);
  Bytes bytes{};
  std::memcpy(bytes.data(), &given.sin6_addr, bytes.size());
  return is_public6(bytes);
}

bool is_local_host(std::string_view given) {
  auto host = to_lower(given);
  while (host.ends_with('.')) host.pop_back();
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.contains(':')) {
    Bytes bytes{};
    const auto plain = host.substr(0, host.find('%'));
    return ::inet_pton(AF_INET6, plain.c_str(), bytes.data()) != 1 || !is_public6(bytes);
  }
  in_addr number{};
  if (::inet_aton(host.c_str(), &number) != 0) return !is_public4(ntohl(number.s_addr));
  if (!host.contains('.')) return true;
  constexpr std::array<std::string_view, 5> kReserved{".localhost", ".local", ".internal",
                                                      ".home.arpa", ".localdomain"};
  return std::ranges::any_of(kReserved, [&](std::string_view end) { return host.ends_with(end); });
}

}  // namespace ralph::http
