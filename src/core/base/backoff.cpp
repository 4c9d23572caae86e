#include "core/base/backoff.h"

#include <algorithm>

namespace ralph {
namespace {

constexpr std::int64_t kMostDoublings = 10;
constexpr std::int64_t kYear2100 = 4'102'444'800;

}  // namespace

Millis doubled_pause(Millis first, std::int64_t n, Millis longest) {
  const auto doublings = std::clamp<std::int64_t>(n - 1, 0, kMostDoublings);
  return std::min(first * (std::int64_t{1} << doublings), longest);
}

std::optional<UtcTime> plausible_reset(std::optional<std::int64_t> unix_seconds) {
  if (!unix_seconds || *unix_seconds <= 0 || *unix_seconds >= kYear2100) return std::nullopt;
  return UtcTime(std::chrono::seconds(*unix_seconds));
}

}  // namespace ralph
