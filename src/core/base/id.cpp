#include "core/base/id.h"

#include <cerrno>
#include <cstdint>
#include <span>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include "core/base/time.h"
#include "core/base/unique_fd.h"

namespace ralph {
namespace {

/// For kernels and seccomp filters without getrandom; 0 or an errno.
int fill_from_device(std::span<std::uint8_t> bytes) {
  const UniqueFd device(::open("/dev/urandom", O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!device) return errno;
  while (!bytes.empty()) {
    const ssize_t got = ::read(device.get(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0 ? EIO : errno;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return 0;
}

std::vector<std::uint8_t> random_bytes(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  std::size_t have = 0;
  while (have < count) {
    const ssize_t got = ::getrandom(bytes.data() + have, count - have, 0);
    if (got > 0) {
      have += static_cast<std::size_t>(got);
    } else if (got == 0 || errno != EINTR) {
      const int failure = fill_from_device(std::span(bytes).subspan(have));
      if (failure == 0) break;
      throw std::system_error(failure, std::generic_category(), "no random numbers");
    }
  }
  return bytes;
}

std::string hex(const std::vector<std::uint8_t>& bytes) {
  constexpr char kHexDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const auto byte : bytes) {
    text += kHexDigits[byte >> 4];
    text += kHexDigits[byte & 15];
  }
  return text;
}

}  // namespace

std::string random_hex(std::size_t bytes) { return hex(random_bytes(bytes)); }

std::string make_uuid() {
  auto bytes = random_bytes(16);
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3f) | 0x80);
  std::string text = hex(bytes);
  for (const std::size_t dash : {8U, 13U, 18U, 23U}) text.insert(dash, 1, '-');
  return text;
}

std::string make_run_id() { return compact_utc(now_utc()) + "-" + random_hex(3); }

}  // namespace ralph
