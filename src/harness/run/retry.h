#pragma once
#include <optional>

#include "core/base/time.h"
#include "harness/run/request.h"
#include "harness/stream/outcome.h"
#include "harness/stream/summary.h"

namespace ralph::run {

/// Whether an attempt that ended so is worth another, and after which pause. The one policy for
/// everybody:
///   crashed, no result, no output   once more after the shortest pause
///   network, overloaded, rate limit   after a longer one; a rate limit's own reset when it is known
///   everything else   is final: the agent would only fail again, or do damage
/// `attempt` is the number of the one that ended, from 1.
std::optional<Millis> pause_before_retry(const stream::Verdict& verdict,
                                         const stream::Summary& summary, int attempt,
                                         const Retries& retries, UtcTime now);

}  // namespace ralph::run
