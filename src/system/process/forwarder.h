#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace ralph::process {

/// Inside a sandbox without a network: listens on a port of its loopback and passes each connection to a Unix socket
/// that was opened outside. A process of its own without standard streams; it ends with the sandbox. Returns once
/// it listens.
Result<> start_forwarder(std::uint16_t port, const std::filesystem::path& socket);

/// This process becomes the program; argv.front() is its path. Returns only when that fails.
Error become(const std::vector<std::string>& argv);

}  // namespace ralph::process
