#pragma once
#include "core/base/result.h"
#include "cli/command.h"
#include "cli/std_output.h"

namespace ralph::cli {

/// Says on stderr what went wrong ("ralph: …", with the hint on a second line) and returns the exit
/// code of the outcome table for it.
int report(const Error& error, StdOutput& output);

/// The same for words that make no sense; points at the command's help (nullptr: the program's).
int report_usage(const Error& error, const Command* command, StdOutput& output);

void warn(std::string_view message, StdOutput& output);
/// "ralph: note: …" on stderr: nothing is wrong, but a choice was made for the user.
void note(std::string_view message, StdOutput& output);

}  // namespace ralph::cli
