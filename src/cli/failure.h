#pragma once
#include "cli/command.h"
#include "cli/std_output.h"
#include "core/base/result.h"

namespace ralph::cli {

/// Prints the error on stderr ("ralph: …", with the hint on a second line) and returns its exit code from the outcome
/// table.
int report(const Error& error, StdOutput& output);

/// The same for a usage error; refers to the command's help (nullptr: the program's).
int report_usage(const Error& error, const Command* command, StdOutput& output);

void warn(std::string_view message, StdOutput& output);
/// "ralph: note: …" on stderr, for a choice that was made for the user.
void note(std::string_view message, StdOutput& output);

}  // namespace ralph::cli
