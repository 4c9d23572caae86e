#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/shell_words.h"

namespace ralph::permission {

using Words = std::span<const ShellWord>;

/// The options of a command that are allowed; every other one makes the command unknown, so do abbreviations.
struct OptionTable {
  std::string_view letters;  // of "-abc"; "n:" takes a value, "C?" may have one in the same word
  std::string_view names;    // of "--name" and "--name=value", parted by blanks
};

/// Arguments taken apart as getopt_long() does. The separate value of a long option counts as an operand: a check that looks
/// at the operands then looks at one too many, never at one too few.
struct Arguments {
  std::vector<ShellWord> operands;
  std::vector<std::string> options;  // "-x" or "--name", without values
  std::vector<std::string> values;   // of the options
  std::vector<ShellWord> separate;   // those of them that are words of their own

  bool has(std::string_view option) const;
};

/// nullopt: some option is not in the table, or the shell could make one that is not seen.
std::optional<Arguments> read_arguments(Words words, const OptionTable& table);

/// Whether a list of words parted by blanks has this one.
bool contains_word(std::string_view list, std::string_view word);

/// Whether a text has one of the words somewhere, not as a part of a longer one.
bool mentions_word(std::string_view text, std::string_view words);

/// Whether the shell cannot make an option of it that we do not see, whatever files there are.
bool is_plain(const ShellWord& word);

/// Without the words of the shell in front of a command: "then", "do", "!" …
Words without_keywords(Words words);

}  // namespace ralph::permission
