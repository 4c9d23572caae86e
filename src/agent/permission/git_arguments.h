#pragma once
#include <string>

#include "agent/permission/command_options.h"

namespace ralph::permission {

/// Why "git" with these arguments may run something that its text does not show: an alias, an option that is not known,
/// a command in an argument. Empty: it cannot.
std::string hidden_in_git(Words arguments);

/// Without the options in front of git's own command: of "-C x push y", "push y".
Words without_git_options(Words arguments);

}  // namespace ralph::permission
