#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ralph {

/// How many single-character changes (insert, remove, replace, swap of neighbours) make `a` into
/// `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word that `word` is the beginning of, if there is only one; else the most similar; empty: none is similar enough
/// to suggest.
std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace ralph
