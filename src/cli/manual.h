#pragma once
#include <string>

#include "cli/command.h"

namespace ralph::cli {

/// The manual pages as man(7) source, from the same tables as the help: ralph(1), and one for each command.
std::string program_manual();
std::string command_manual(const Command& command);

}  // namespace ralph::cli
