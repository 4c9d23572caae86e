#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/shell_words.h"

namespace ralph::permission {

using Words = std::span<const ShellWord>;

/// The allowed options of a command; any other one, abbreviations included, makes the command unknown.
struct OptionTable {
  std::string_view letters;  // of "-abc"; "n:" takes a value, "C?" may have one in the same word
  std::string_view names;    // of "--name" and "--name=value", separated by blanks
};

/// Arguments parsed as getopt_long() does. The separate value of a long option counts as an operand, so that a check of
/// the operands sees one word too many rather than one too few.
struct Arguments {
  std::vector<ShellWord> operands;
  std::vector<std::string> options;  // "-x" or "--name", without values
  std::vector<std::string> values;   // of the options
  std::vector<ShellWord> separate;   // those values that are separate words

  bool has(std::string_view option) const;
};

/// nullopt: an option is not in the table, or a word may expand to an option.
std::optional<Arguments> read_arguments(Words words, const OptionTable& table);

/// Whether a text contains one of the words, not as a part of a longer one.
bool mentions_word(std::string_view text, std::string_view words);

/// Whether the word cannot expand to an option, whatever files exist.
bool is_plain(const ShellWord& word);

/// Without leading keywords of the shell: "then", "do", "!" …
Words without_keywords(Words words);

}  // namespace ralph::permission
