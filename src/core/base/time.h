#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ralph {

using Millis = std::chrono::milliseconds;
using SteadyTime = std::chrono::steady_clock::time_point;

/// How long ago that was.
inline Millis since(SteadyTime begin) {
  return std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - begin);
}
using UtcTime = std::chrono::sys_time<Millis>;

UtcTime now_utc();

/// "2026-11-15T14:37:40.123Z".
std::string iso_utc(UtcTime time);
/// "20261115-143740", for file names.
std::string compact_utc(UtcTime time);
/// Reads iso_utc's form, with or without a fraction, with Z or an offset.
std::optional<UtcTime> parse_iso(std::string_view text);

/// "90s", "5m", "1h30m", "2d", "1.5h", "250ms"; a bare number means seconds. "0" is none.
Result<Millis> parse_duration(std::string_view text);
/// The shortest form parse_duration reads back: "1h30m", "250ms", "0s".
std::string format_duration(Millis duration);

}  // namespace ralph
