#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "agent/settings/options.h"
#include "core/base/result.h"

namespace ralph::instructions {

/// The system prompt: ralph's text, or the user's instead of it or after it. It does not depend on date or directory, so that
/// it stays in the prompt cache. Fails if a file cannot be read.
Result<std::vector<std::string>> system_prompt(const settings::Options& options);

/// Directory, branch and date for the first message: what the system prompt must not contain.
std::string surroundings(const std::filesystem::path& cwd, const std::string& git_branch);

}  // namespace ralph::instructions
