#pragma once
#include <cstdint>
#include <optional>

#include "core/base/time.h"

namespace ralph {

/// The pause before the n-th retry, from 1: `first`, twice that, four times that …, at most `longest`.
Millis doubled_pause(Millis first, std::int64_t n, Millis longest);

/// The time at which a rate limit resets, in seconds since 1970 as services report it. nullopt: none, or not plausible.
std::optional<UtcTime> plausible_reset(std::optional<std::int64_t> unix_seconds);

}  // namespace ralph
