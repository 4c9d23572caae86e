#pragma once
#include <string>
#include <vector>

#include "cli/std_output.h"

namespace ralph::cli {

/// `ralph sandbox-init SOCKET -- PROGRAM ARGUMENTS`, internal: the first program in a strict sandbox. Starts the
/// forwarder to the model proxy, then executes the agent.
int sandbox_init(const std::vector<std::string>& words, StdOutput& output);

}  // namespace ralph::cli
