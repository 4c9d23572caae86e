#pragma once
#include "backend/plan.h"
#include "base/result.h"

namespace ralph::run {

/// Puts the plan's command into bubblewrap: the system read-only, the workspace, a private /tmp and the
/// agent's own state writable, the home hidden but for what the agent needs, its own process ids, the network
/// kept, IS_SANDBOX=1. Code::unavailable when `bwrap` is missing or refused, with what it said.
Result<> put_into_sandbox(backend::Plan& plan, const backend::Host& host);

/// Whether it would work here: starts `bwrap … true`.
Result<> check_sandbox(const backend::Host& host);

}  // namespace ralph::run
