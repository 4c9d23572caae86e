#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/time.h"
#include "system/git/fields.h"
#include "system/git/left_alone.h"
#include "system/git/program.h"

namespace ralph::git {

/// Whether a file is older than that: by the time it was made or, where the disk keeps none, of its last change.
bool born_before(const std::filesystem::path& path, UtcTime time);

/// Takes out of `entries` what is left alone. A tracked file that was moved is as old as it was, and stays in: the index
/// still knows it by its inode.
Result<> leave_out(const Program& git, const LeftAlone& left, std::vector<Entry>& entries);

/// What an index has beyond a tree and was born before leaves the index; the files stay. Moved ones, which git finds by
/// their content, remain in it.
Result<> forget_old(const Program& git, UtcTime time, const std::string& tree,
                    const std::filesystem::path& index);

/// By the clock that stamps the files of this directory, which need not be ours: files that are there are born before that,
/// files made later are not. Waits for the next tick of that clock: some milliseconds, on old file systems two seconds.
Result<UtcTime> file_time_now(const std::filesystem::path& folder);

}  // namespace ralph::git
