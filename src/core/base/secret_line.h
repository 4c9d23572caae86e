#pragma once
#include <string>

#include "core/base/result.h"

namespace ralph {

/// Reads one line from a terminal without showing it. A line with Ctrl-C in it is an error.
Result<std::string> read_secret_line(int terminal_fd);

}  // namespace ralph
