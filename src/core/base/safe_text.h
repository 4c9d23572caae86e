#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ralph {

/// Text of an agent made safe to print: nothing in it can control a terminal, now or when it is printed from a file later.
/// Newlines and tabs stay; colour and cursor sequences (ESC [ …) are dropped; other control characters become their
/// pictures (␛ ␇ ␍); C1 controls, characters that change the direction of text, and invalid UTF-8 become U+FFFD.
/// Idempotent.
std::string safe_text(std::string_view text);

/// Nothing but escape sequences, control characters and blanks, such as what a program prints at its end to reset the terminal.
bool is_terminal_control(std::string_view text);

/// Text on one line: newlines and tabs as spaces, none at either end, cut to `code_points` with
/// "…".
std::string one_line(std::string text, std::size_t code_points);

}  // namespace ralph
