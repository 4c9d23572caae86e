#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace ralph::loop {

/// As it may stand in a prompt: well-formed UTF-8 without NUL bytes.
std::string prompt_text(std::string_view text);

/// A part of a text, never cut inside a character, and how many bytes of it are missing.
struct Excerpt {
  std::string_view text;
  std::size_t left_out = 0;
};
Excerpt beginning_of(std::string_view text, std::size_t most_bytes);
Excerpt end_of(std::string_view text, std::size_t most_bytes);

/// Between two lines of backticks, more of them than the text has anywhere: nothing in it can end the block.
std::string fenced(std::string_view text);

}  // namespace ralph::loop
