#pragma once
// Private to this module's .cpp files.
#include <string>

#include "harness/backend/backend.h"

namespace ralph::run {

/// A settings file or record of an agent for a sandbox that must hold no secret: what names or looks like one is gone at
/// every depth, and MCP servers with it, whose command lines may hold keys of any form. "{}" for what is not an object.
std::string without_secrets(const std::string& text, const backend::AgentState& state);

}  // namespace ralph::run
