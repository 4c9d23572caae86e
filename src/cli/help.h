#pragma once
#include <string>

#include "cli/command.h"

namespace ralph::cli {

/// What `ralph --help` prints.
std::string program_help();
/// What `ralph COMMAND --help` prints.
std::string command_help(const Command& command);

}  // namespace ralph::cli
