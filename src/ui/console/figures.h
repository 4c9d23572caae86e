#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/base/names.h"
#include "core/base/time.h"

namespace ralph::console {

using ralph::counted;
using ralph::grouped;

/// "7s", "1m12s", "2h03m", "3d04h": in whole seconds, the two largest units.
std::string short_duration(Millis duration);
/// "$0.0312".
std::string dollars(double usd);
/// "unknown" where there is no figure.
std::string dollars(std::optional<double> usd);
/// The first ten digits of a commit's id.
std::string short_commit(std::string_view id);
/// "14:05:09", in the time zone of this machine.
std::string clock_time(UtcTime time);
/// "2026-11-17 01:01:14 +0900", in the time zone of this machine.
std::string date_time(UtcTime time);

}  // namespace ralph::console
