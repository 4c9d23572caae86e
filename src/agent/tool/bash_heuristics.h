#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"

/// Guesses from the text of a bash command line how to report its result. Never used for permissions.
namespace ralph::tool {

/// The programs of the top-level list in order, without directories: "cd a && X=1 /bin/grep b" gives cd, grep.
/// "" for a command of a subshell and for a name that the shell expands.
std::vector<std::string> command_names(std::string_view line);

/// The duration of a line that is a single `sleep`; zero for any other line.
Millis standalone_sleep(std::string_view line);

/// The meaning of exit code 1 of the list's last program where that is not a failure ("No matches found"); empty: it is
/// a failure.
std::string_view meaning_of_exit_1(std::string_view line);

/// Whether every program of the list prints nothing on success.
bool usually_silent(std::string_view line);

}  // namespace ralph::tool
