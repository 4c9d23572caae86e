#pragma once
// Private to this module's .cpp files.
#include "harness/backend/backend.h"

namespace ralph::backend {

/// Claude Code, and ralph's own agent, which takes the same command line.
extern const Backend kClaude;
extern const Backend kOwnAgent;
/// Any command that the user names.
extern const Backend kCustom;

}  // namespace ralph::backend
