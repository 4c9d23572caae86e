#pragma once
// Private to this module's .cpp files.
#include <vector>

#include "agent/instructions/agent_definitions.h"

namespace ralph::instructions {

std::vector<AgentDefinition> builtin_agents();

}  // namespace ralph::instructions
