#pragma once
#include <string>

#include "cli/command.h"

namespace ralph::cli {

/// What `ralph --help` prints.
std::string program_help();
/// What `ralph COMMAND --help` prints: the usual options, or with `--all` all of them.
enum class Extent { usual, all };
std::string command_help(const Command& command, Extent extent = Extent::usual);
/// "ralph loop [GOAL.md] [OPTIONS]".
std::string usage_line(const Command& command);
/// Whether a command has options that only `--help --all` shows.
bool has_more_options(const Command& command);

}  // namespace ralph::cli
