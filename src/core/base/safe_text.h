#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ralph {

/// Text of an agent as it may be printed: nothing in it can drive the reader's terminal, be it
/// printed there now or out of a file later. Newlines and tabs stay; colour and cursor sequences
/// (ESC [ …) are dropped; other control characters become their pictures (␛ ␇ ␍); C1 ones, those that
/// change the direction of text, and invalid UTF-8 become U+FFFD. Done twice it changes nothing more.
std::string safe_text(std::string_view text);

/// Text on one line: newlines and tabs as spaces, none at either end, cut to `code_points` with
/// "…".
std::string one_line(std::string text, std::size_t code_points);

}  // namespace ralph
