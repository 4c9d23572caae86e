#pragma once
#include <string>

#include "cli/command.h"

namespace ralph::cli {

/// The manual pages, as man(7) source: ralph(1), and one for each command, made from the tables that help is made from.
std::string program_manual();
std::string command_manual(const Command& command);

}  // namespace ralph::cli
