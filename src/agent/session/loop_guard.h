#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace ralph::session {

/// Detects a model that repeats itself: the same round of calls with the same results, or a cycle of two or three rounds.
class LoopGuard {
 public:
  enum class Verdict { fine, warn, stop };

  /// Warns after `limit` repetitions (at least 2), stops after twice as many. 0: disabled.
  explicit LoopGuard(std::int64_t limit) : limit_(limit == 1 ? 2 : limit) {}

  /// Adds a call of the current round with its result, in any order.
  void add(std::string_view tool, std::string_view input, std::string_view result);
  /// All calls of the reply have results.
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
  std::vector<Round> calls_;                         // of the current round
  std::deque<Round> rounds_;                         // the last ones
  std::array<std::int64_t, kLongestCycle> equal_{};  // rounds in a row like the one 1, 2, 3 before
  std::size_t cycle_ = 1;
  std::int64_t times_ = 0;
  bool warned_ = false;
};

}  // namespace ralph::session
