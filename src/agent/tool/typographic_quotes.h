#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "agent/tool/replace.h"

namespace ralph::tool {

/// Like occurrences(), but typographic quotes (‘ ’ “ ”) and straight ones (' ") match each other.
std::vector<Span> occurrences_by_quotes(std::string_view bytes, std::string_view old_text);

/// The new text with the quote style of the text it replaces. Unchanged quotes keep the form they have in the file;
/// quotes among words that had only straight ones stay straight. Other quotes become typographic if the replaced text has
/// typographic ones of that kind (single or double): opening or closing by the preceding character, an apostrophe between
/// two letters.
std::string with_quotes_of(std::string_view replaced_text, std::string_view new_text);

}  // namespace ralph::tool
