#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "agent/settings/options.h"
#include "core/base/result.h"

namespace ralph::instructions {

/// The system prompt: our own text, or the user's instead of it or behind it. Nothing in them changes from
/// one day or folder to the next, so that they stay in the model's cache. Fails on a file that cannot be read.
Result<std::vector<std::string>> system_prompt(const settings::Options& options);

/// Where and when the session happens, for the first message: what the system prompt must not hold.
std::string surroundings(const std::filesystem::path& cwd, const std::string& git_branch);

}  // namespace ralph::instructions
