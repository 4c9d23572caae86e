#include "core/base/nearest.h"

#include <algorithm>

namespace ralph {
namespace {

constexpr std::size_t kLongestWord = 64;
constexpr std::size_t kDistanceOfAbbreviation = 2;
constexpr std::size_t kShortestPrefix = 3;

/// "MAX_ITERS" of "MAX_ITERATIONS": most of its letters, in their order. A prefix is none: it may be of several words.
bool is_abbreviation(std::string_view word, std::string_view candidate) {
  if (candidate.starts_with(word) || word.size() * 8 < candidate.size() * 5) return false;
  std::size_t found = 0;
  for (const char c : candidate) found += found < word.size() && word[found] == c ? 1 : 0;
  return found == word.size();
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last.back();
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() > kLongestWord) return {};
  const auto begins = [&](const std::string& candidate) { return candidate.starts_with(word); };
  if (word.size() >= kShortestPrefix && std::ranges::count_if(known, begins) == 1) {
    return *std::ranges::find_if(known, begins);
  }
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : known) {
    auto distance = edit_distance(word, candidate);
    if (is_abbreviation(word, candidate)) distance = std::min(distance, kDistanceOfAbbreviation);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace ralph
