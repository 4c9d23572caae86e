#pragma once
#include <string>

#include "agent/permission/command_options.h"

namespace ralph::permission {

/// Why "git" with these arguments may run a command that its text does not show: an alias, an unknown option, a command
/// in an argument. Empty: it cannot.
std::string hidden_in_git(Words arguments);

/// Without the options before the subcommand: "-C x push y" becomes "push y".
Words without_git_options(Words arguments);

}  // namespace ralph::permission
