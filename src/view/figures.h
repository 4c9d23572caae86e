#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace ralph::view {

/// "7s", "1m12s", "2h03m", "3d04h": in whole seconds, the two largest units.
std::string short_duration(Millis duration);
/// "3:42", "1:03:42": what is left, rounded up.
std::string countdown(Millis left);
/// "$0.0312", and "$12.35" from ten dollars on.
std::string dollars(double usd);
/// "1,234,567".
std::string grouped(std::int64_t number);
/// "1 file", "3 files".
std::string counted(std::int64_t number, std::string_view thing);

}  // namespace ralph::view
