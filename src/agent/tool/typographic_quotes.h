#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "agent/tool/replace.h"

namespace ralph::tool {

/// Where `old_text` stands in a file when typographic quotes (‘ ’ “ ”) and straight ones (' ") count as the same; like
/// occurrences() in everything else.
std::vector<Span> occurrences_by_quotes(std::string_view bytes, std::string_view old_text);

/// The new text as it replaces a text of the file: a straight quote that was there before and did not change keeps the
/// form it has in the file, and one among words that had only straight ones stays straight. Of the others, those of a
/// kind, single or double, that is typographic in the replaced text become opening or closing ones by what stands before
/// them, between two letters an apostrophe.
std::string with_quotes_of(std::string_view replaced_text, std::string_view new_text);

}  // namespace ralph::tool
