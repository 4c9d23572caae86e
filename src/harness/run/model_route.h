#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "harness/backend/plan.h"

namespace ralph::run {

class Mounts;

/// Where the agent in a sandbox without a network finds the model: this port of its own loopback.
inline constexpr std::uint16_t kModelPort = 4141;
/// The command of ralph that listens there: `ralph sandbox-init SOCKET -- PROGRAM ARGUMENTS`.
inline constexpr std::string_view kSandboxInit = "sandbox-init";

/// "https://user:password@host/path" without the part before '@', for people.
std::string without_user(std::string_view address);

/// Sets plan.route for an agent that is paid by an API key or a bearer token, and puts `sandbox-init` in front of its
/// command line. Code::usage for any other credential: the proxy could not add it. A command of the user's own gets no
/// network at all.
Result<> route_to_model(Mounts& mounts, backend::Plan& plan, process::Command& command,
                        const backend::Host& host, std::string_view run_id);

/// The environment that replaces key and endpoint of the agent.
std::vector<process::EnvChange> environment_of_route(const backend::Backend& backend,
                                                     const backend::ModelRoute& route);

}  // namespace ralph::run
