#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "system/git/program.h"

namespace ralph::git {

/// Removes the lock files of the index, of HEAD and of `branch` (in full) that were made since `began`, when no git works
/// in this repository: one that was killed leaves them behind. Returns the files it removed.
std::vector<std::filesystem::path> remove_stale_locks(const Program& git, const std::string& branch,
                                                      UtcTime began);

}  // namespace ralph::git
