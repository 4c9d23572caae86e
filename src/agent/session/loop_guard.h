#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::session {

/// Notices a model that goes round in circles: the same calls with the same results again and again, or two or three
/// rounds of calls in turn.
class LoopGuard {
 public:
  enum class Verdict { fine, warn, stop };

  /// Warns when something was done `limit` times in a row (at least 2), stops at twice that. 0: never.
  explicit LoopGuard(std::int64_t limit) : limit_(limit == 1 ? 2 : limit) {}

  /// One call of the round that runs, with its result; in any order.
  void add(std::string_view tool, std::string_view input, std::string_view result);
  /// All calls of one answer have their results.
  Verdict end_round();

  /// What is repeated, for people: "Bash {…}, then Read {…}".
  std::string repeated() const;
  std::int64_t times() const { return times_; }

 private:
  static constexpr std::size_t kLongestCycle = 3;
  struct Round {
    std::string calls_and_results;
    std::string shown;
  };

  std::int64_t limit_;
  std::vector<Round> calls_;                         // of the round that runs
  std::deque<Round> rounds_;                         // the last ones
  std::array<std::int64_t, kLongestCycle> equal_{};  // rounds in a row like the one 1, 2, 3 before
  std::size_t cycle_ = 1;
  std::int64_t times_ = 0;
  bool warned_ = false;
};

}  // namespace ralph::session
