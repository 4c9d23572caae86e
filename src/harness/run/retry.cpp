#include "harness/run/retry.h"

#include <algorithm>
#include <array>

#include "core/base/backoff.h"

namespace ralph::run {
namespace {

using stream::ErrorClass;
using stream::Outcome;

struct Row {
  Outcome outcome;
  std::optional<ErrorClass> error_class;  // none: any
  int pauses;                             // how many of the shortest
};
constexpr std::array kTable = std::to_array<Row>({
    {Outcome::crashed, {}, 1},
    {Outcome::no_result, {}, 1},
    {Outcome::no_output, {}, 1},
    {Outcome::agent_error, ErrorClass::network, 10},
    {Outcome::agent_error, ErrorClass::overloaded, 30},
    {Outcome::rate_limited, {}, 60},
});

constexpr Millis kLongestPause = std::chrono::minutes(10);
constexpr Millis kAfterReset{2000};  // clocks differ

}  // namespace

std::optional<Millis> pause_before_retry(const stream::Verdict& verdict,
                                         const stream::Summary& summary, int attempt,
                                         const Retries& retries, UtcTime now) {
  if (attempt > retries.most) return std::nullopt;
  const auto row = std::ranges::find_if(kTable, [&](const Row& each) {
    return each.outcome == verdict.outcome &&
           (!each.error_class ||
            (summary.error && summary.error->error_class == *each.error_class));
  });
  if (row == kTable.end()) return std::nullopt;
  if (const auto reset = plausible_reset(verdict.resets_at)) {
    return std::max(Millis::zero(), *reset + kAfterReset - now);
  }
  return doubled_pause(retries.pause * row->pauses, attempt,
                       std::max(kLongestPause, retries.pause));
}

}  // namespace ralph::run
