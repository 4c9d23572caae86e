#pragma once
#include <cstdint>
#include <filesystem>
#include <set>
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

/// What an index has beyond a tree and was born before leaves the index; the files stay. Moved ones remain in it: those in
/// `left`, and those that git finds by their content.
Result<> forget_old(const Program& git, const LeftAlone& left, const std::string& tree,
                    const std::filesystem::path& index);

/// LeftAlone::tracked: the inodes of these files.
std::set<std::uint64_t> inodes_of(const Program& git, const std::vector<std::string>& paths);
/// Paths that the user's index has beyond a tree, and whose files are old and were tracked.
Result<std::vector<std::string>> moved_files(const Program& git, const LeftAlone& left,
                                             const std::string& tree);

/// By the clock that stamps the files of this directory, which need not be ours: files that are there are born before that,
/// files made later are not. Waits for the next tick of that clock: some milliseconds, on old file systems two seconds.
Result<UtcTime> file_time_now(const std::filesystem::path& folder);

}  // namespace ralph::git
