#include "agent/session/loop_guard.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "core/base/utf8.h"

namespace ralph::session {
namespace {

constexpr std::size_t kShownInput = 200;

}  // namespace

void LoopGuard::add(std::string_view tool, std::string_view input, std::string_view result) {
  if (limit_ <= 0) return;
  calls_.push_back({fmt::format("{}\n{}\n{}", tool, input, result),
                    fmt::format("{} {}", tool, utf8::shortened(input, kShownInput))});
}

/// Concurrent calls end in any order, so they are sorted.
LoopGuard::Verdict LoopGuard::end_round() {
  if (limit_ <= 0 || calls_.empty()) return Verdict::fine;
  std::ranges::sort(calls_, {}, &Round::calls_and_results);
  Round round;
  for (auto& call : std::exchange(calls_, {})) {
    round.calls_and_results += call.calls_and_results + '\0';
    round.shown += (round.shown.empty() ? "" : " and ") + call.shown;
  }

  times_ = 1;
  for (std::size_t cycle = 1; cycle <= kLongestCycle; ++cycle) {
    const bool same = rounds_.size() >= cycle &&
                      rounds_[rounds_.size() - cycle].calls_and_results == round.calls_and_results;
    auto& equal = equal_[cycle - 1];
    equal = same ? equal + 1 : 0;
    const auto times = equal / static_cast<std::int64_t>(cycle) + 1;
    if (times > times_) {
      times_ = times;
      cycle_ = cycle;
    }
  }
  rounds_.push_back(std::move(round));
  if (rounds_.size() > kLongestCycle) rounds_.pop_front();

  if (times_ >= 2 * limit_) return Verdict::stop;
  if (times_ < limit_) warned_ = false;
  return times_ >= limit_ && !std::exchange(warned_, true) ? Verdict::warn : Verdict::fine;
}

std::string LoopGuard::repeated() const {
  std::string text;
  const auto count = std::min(cycle_, rounds_.size());
  for (std::size_t i = rounds_.size() - count; i < rounds_.size(); ++i) {
    text += (text.empty() ? "" : ", then ") + rounds_[i].shown;
  }
  return text;
}

}  // namespace ralph::session
