#pragma once
#include <string>
#include <vector>

#include "view/console.h"

namespace ralph::cli {

/// Our environment as "NAME=value" entries.
std::vector<std::string> environment();

/// Verbosity of these flags over the environment's, colours and screens as stdout and stderr are
/// now. Colour needs a terminal, and NO_COLOR unset or empty.
view::ConsoleOptions console_options(view::VerbosityWish flags);

}  // namespace ralph::cli
