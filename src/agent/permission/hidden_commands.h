#pragma once
#include <string>

#include "core/base/shell_words.h"

namespace ralph::permission {

/// Why a line may run commands that its text does not show, so that rules about commands cannot be checked. Empty: it
/// cannot.
std::string hidden_commands(const ShellLine& line);

/// Why a word that the shell expands, or a git alias, may hide a command. Empty: none can.
std::string hidden_words(const ShellLine& line);

}  // namespace ralph::permission
