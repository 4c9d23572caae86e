#include "harness/run/retry.h"

#include <algorithm>
#include <array>

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
constexpr int kMostDoublings = 10;
constexpr std::int64_t kFarFuture = 4'102'444'800;  // 2100: what is later is no time

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
  if (verdict.resets_at && *verdict.resets_at > 0 && *verdict.resets_at < kFarFuture) {
    const auto reset = UtcTime(std::chrono::seconds(*verdict.resets_at)) + kAfterReset;
    return std::max(Millis::zero(), std::chrono::duration_cast<Millis>(reset - now));
  }
  const auto pause = retries.pause * row->pauses * (1 << std::min(attempt - 1, kMostDoublings));
  return std::min(pause, std::max(kLongestPause, retries.pause));
}

}  // namespace ralph::run
