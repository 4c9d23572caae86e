#pragma once
#include <filesystem>
#include <vector>

#include "harness/backend/plan.h"

namespace ralph::loop {

/// Where ralph and the agents it knows keep their settings, keys and sessions. Commits leave these out, which matters
/// where the home directory is a repository.
std::vector<std::filesystem::path> own_paths(const backend::Host& host);

}  // namespace ralph::loop
