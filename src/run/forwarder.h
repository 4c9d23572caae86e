#pragma once
#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace ralph::run {

/// Inside a sandbox without a network: listens on a port of its loopback and passes each connection to a Unix socket
/// that was opened outside. A process of its own, of nobody's standard streams; it ends with the sandbox. Returns once
/// it listens.
Result<> start_forwarder(std::uint16_t port, const std::filesystem::path& socket);

}  // namespace ralph::run
