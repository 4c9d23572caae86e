#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ralph {

/// Whether a file that begins with these bytes is a compiled program.
bool is_elf(std::string_view bytes);

/// The interpreter of a script and its argument words, from the "#!" line at the beginning of the file. Empty: no script.
std::vector<std::string> shebang_words(std::string_view bytes);

}  // namespace ralph
