#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ralph::grade {

/// UTF-8 as UTF-16 code units, in which lengths and distances are counted. Invalid bytes become U+FFFD.
std::u16string to_utf16(std::string_view text);

/// The Levenshtein distance. O(n + d²) time for a distance d of at most 3000, by diagonals; for a larger one bit-parallel
/// blocks of 64, O(n·m/64). Linear space.
std::size_t levenshtein(std::u16string_view a, std::u16string_view b);
/// nullopt: the distance is large, and the blocks would need more than `most_steps`. `progress` gets the done share, in [0, 1],
/// from time to time.
std::optional<std::size_t> bounded_levenshtein(std::u16string_view a, std::u16string_view b,
                                               double most_steps,
                                               const std::function<void(double)>& progress = {});

/// 1 - distance / length of the longer one; 1 for two empty texts. nullopt as above.
std::optional<double> similarity(std::u16string_view a, std::u16string_view b, double most_steps,
                                 const std::function<void(double)>& progress = {});

}  // namespace ralph::grade
