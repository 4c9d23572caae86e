#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "git/fields.h"
#include "git/program.h"

namespace ralph::git {

/// Whether a file is older than that: by the time it was made or, where the disk keeps none, of its last change.
bool born_before(const std::filesystem::path& path, UtcTime time);

/// Takes the untracked files out of `entries` that were born before. A tracked file that was moved is as old, and stays
/// in: the index still knows it by its inode.
Result<> leave_out_old(const Program& git, UtcTime time, std::vector<Entry>& entries);

/// What the user's index has beyond a commit and was born before leaves the index; the files stay. Moved ones, which git
/// finds by their content, remain in it.
Result<> forget_old(const Program& git, UtcTime time, const std::string& commit);

}  // namespace ralph::git
