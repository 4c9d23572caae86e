#pragma once
#include <optional>

#include "core/base/time.h"
#include "harness/run/request.h"
#include "harness/stream/outcome.h"
#include "harness/stream/summary.h"

namespace ralph::run {

/// The pause before the next attempt; none: no retry. The only retry policy of runs:
///   crashed, no result, no output     after the shortest pause
///   network, overloaded, rate limit   after a longer one, or at the reset of the rate limit if known
///   everything else                   no retry: the agent would fail again, or do damage
/// The pause doubles with each attempt; `attempt` is the number of the one that ended, from 1.
std::optional<Millis> pause_before_retry(const stream::Verdict& verdict,
                                         const stream::Summary& summary, int attempt,
                                         const Retries& retries, UtcTime now);

}  // namespace ralph::run
