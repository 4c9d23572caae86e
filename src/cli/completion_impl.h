#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace ralph::cli {

/// What a shell offers as the value of an option.
enum class Offer { nothing, words, files, folders, refs };
Offer offer_of(const Option& option);
/// The values of Offer::words, as "a b"; others may be possible.
std::string usual_words(const Option& option);
bool takes_next_word(const Option& option);

/// Lists the values of 'ralph undo --restore'.
inline constexpr std::string_view kListRefs =
    "git for-each-ref --format=\"%(refname)\" refs/ralph 2>/dev/null";

/// The commands of a command; none for most.
std::span<const Command* const> parts_of(const Command& command);
/// Every command that has options: "run", "bench", "bench run".
std::vector<const Command*> all_commands();
/// The commands of ralph, and help.
std::vector<std::string> command_words();
std::vector<Option> all_options(const Command& command);
/// Values of the first argument of a command; empty: a file.
std::string first_words(std::string_view command);
/// Inside single quotes of a shell.
std::string shell_quoted(std::string_view text);

std::string zsh_script();
std::string fish_script();

}  // namespace ralph::cli
