#pragma once
#include <string>

#include "core/base/shell_words.h"

namespace ralph::permission {

/// Why a line may run commands that its text does not show, so that no rule against a command can be held against
/// it; empty: it cannot.
std::string hidden_commands(const ShellLine& line);

/// Why words of a line that the shell makes something of, or an alias of git, may hide a command; empty: they cannot.
std::string hidden_words(const ShellLine& line);

}  // namespace ralph::permission
