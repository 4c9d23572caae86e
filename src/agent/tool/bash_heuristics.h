#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"

/// What the text of a bash command line shows without running it. Not a parser of bash: what it does not
/// understand it names nothing.
namespace ralph::tool {

/// The programs of the top-level list, in order, without folders: "cd a && X=1 /bin/grep b" gives cd, grep.
/// Empty where none can be named, e.g. for "(…)".
std::vector<std::string> command_names(std::string_view line);

/// How long a command that is nothing but one `sleep` waits; zero: it is something else.
Millis standalone_sleep(std::string_view line);

/// What exit code 1 of the list's last program means where it is not a failure ("No matches found"); empty: it is a failure.
std::string_view meaning_of_exit_1(std::string_view line);

/// Whether all programs of the list print nothing when they go well.
bool usually_silent(std::string_view line);

}  // namespace ralph::tool
