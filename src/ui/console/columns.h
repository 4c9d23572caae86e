#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ralph::console {

/// How many columns of a terminal a text takes, at the most: East Asian characters and emoji count two, everything else
/// one, though a terminal may draw some of it (accents, joiners) in none. The text is valid UTF-8 without control
/// characters.
std::size_t columns(std::string_view text);

/// The text in at most `most` columns; a cut is marked with "…".
std::string cut_to_columns(std::string_view text, std::size_t most);

}  // namespace ralph::console
